// Who calls, and the credentials the simulated IAM has handed out.

export type Statement = { effect: 'Allow' | 'Deny'; actions: string[] };

export type Identity = {
  userId: string;
  domainId: string;
  /** Undefined for a domain-scoped token. */
  projectId: string | undefined;
  /** Present only for temporary keys with an inline policy. */
  policy: Statement[] | undefined;
};

export type Token = {
  id: string;
  methods: string[];
  userId: string;
  projectId: string | undefined;
  isDomainScoped: boolean;
  issuedAt: number;
  expiresAt: number;
};

export type UserState = 'active' | 'locked' | 'disabled' | 'console-only';

/** Temporary; the permanent pair is fixed. */
export type AccessKey = {
  access: string;
  secret: string;
  securityToken: string;
  userId: string;
  expiresAt: number;
  policy: Statement[] | undefined;
};
