// Who may have which Secret in another namespace. Both sides say so with an annotation: a namespace asks, an Rds
// allows. Nothing here knows a wild card.

import { ANNOTATIONS } from './names.ts';

/** On every Secret that its Rds allows somebody to have: what the share hook gets to see. */
export const SHAREABLE = 'otc.mcsps.de/shareable';

const LABEL = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';
const NAMESPACE = new RegExp(`^${LABEL}$`);
const RDS_NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const MOST = 64;

/** `user` undefined: the connection Secret. */
export type Asked = { text: string; namespace: string; rds: string; user: string | undefined };
/** `user` undefined: every Secret of the Rds. */
export type Allowed = { namespace: string; user: string | undefined };
export type Refused = { text: string; because: string };

const entriesOf = (value: string | undefined): string[] =>
  value === undefined ? [] : [...new Set(value.split(',').flatMap((text) => text.trim() || []))];

const NO_WILD_CARD = 'wild cards are not possible, name each one';
const TOO_MANY = `at most ${MOST} are possible`;

/** `team-a/shop, team-a/shop/app` on a namespace: a connection Secret, and the Secret of a user. */
export function askedFor(value: string | undefined): { asked: Asked[]; refused: Refused[] } {
  const asked: Asked[] = [];
  const refused: Refused[] = [];
  for (const text of entriesOf(value)) {
    const [namespace = '', rds = '', ...rest] = text.split('/');
    const user = rest.length === 0 ? undefined : rest.join('/');
    if (/[*?]/.test(text)) refused.push({ text, because: NO_WILD_CARD });
    else if (!NAMESPACE.test(namespace) || !RDS_NAME.test(rds) || user === '')
      refused.push({ text, because: 'write <namespace>/<Rds> or <namespace>/<Rds>/<user>' });
    else if (asked.length >= MOST) refused.push({ text, because: TOO_MANY });
    else asked.push({ text, namespace, rds, user });
  }
  return { asked, refused };
}

/** `ns1, ns2/app` on an Rds: everything for ns1, the Secret of one user for ns2. */
export function allowedBy(value: string | undefined): { allowed: Allowed[]; refused: Refused[] } {
  const allowed: Allowed[] = [];
  const refused: Refused[] = [];
  for (const text of entriesOf(value)) {
    const [namespace = '', ...rest] = text.split('/');
    const user = rest.length === 0 ? undefined : rest.join('/');
    if (/[*?]/.test(text)) refused.push({ text, because: NO_WILD_CARD });
    else if (!NAMESPACE.test(namespace) || user === '')
      refused.push({ text, because: 'write <namespace> or <namespace>/<user>' });
    else if (allowed.length >= MOST) refused.push({ text, because: TOO_MANY });
    else allowed.push({ namespace, user });
  }
  return { allowed, refused };
}

/** The name in the account of a user, such as `app` in `app@%`. */
export const isUser = (account: string, user: string): boolean =>
  account === user || account.slice(0, account.lastIndexOf('@')) === user;

export function isAllowed(allowed: readonly Allowed[], namespace: string, user: string | undefined): boolean {
  return allowed.some((one) => one.namespace === namespace && (one.user === undefined || one.user === user));
}

/** `team-a/shop/4bc725ab-…`: whose Secret it is. */
export const belongsTo = (rds: { namespace: string; name: string; uid: string }): string =>
  `${rds.namespace}/${rds.name}/${rds.uid}`;

/** No namespace has a dot in its name, so two sources never share one. */
export const copyName = (namespace: string, secret: string): string => `${namespace}.${secret}`;

/** What goes onto a Secret whose Rds allows somebody to have it. */
export function shareMarks(rds: {
  metadata: { namespace: string; name: string; uid: string; annotations?: Record<string, string> };
}): { labels: Record<string, string>; annotations: Record<string, string> } | undefined {
  const { allowed } = allowedBy(rds.metadata.annotations?.[ANNOTATIONS.shareWith]);
  if (allowed.length === 0) return undefined;
  const text = allowed.map(({ namespace, user }) =>
    user === undefined ? namespace : `${namespace}/${user}`,
  );
  return {
    labels: { [SHAREABLE]: 'true' },
    annotations: {
      [ANNOTATIONS.belongsTo]: belongsTo(rds.metadata),
      // A change of consent wakes those who ask.
      [ANNOTATIONS.shareWith]: text.join(','),
    },
  };
}
