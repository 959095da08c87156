// Reads the body of a token request: which identity is claimed, and for which scope.
import { DEMO_AGENCY, DEMO_DOMAIN, DEMO_USER, PROJECTS } from '../demo-account.ts';
import { type JsonObject, list, object, optionalObject, optionalText, text } from '../fields.ts';
import type { Call } from '../protocol.ts';
import { BadField, refuse } from '../refusal.ts';
import { requireUserMayLogIn } from './user-state.ts';

type Scope = { projectId: string | undefined; isDomainScoped: boolean };

const wrongPassword = () => refuse(401, 'IAM.0062', 'The username or password is wrong.');

/** Returns the methods used; throws when the identity cannot be proven. */
export function proveIdentity(call: Call, auth: JsonObject): string[] {
  const identity = object(auth, 'identity');
  const methods = list(identity, 'methods').map(String);
  if (methods.length === 0) throw new BadField('methods', 'it is empty');
  for (const method of methods) {
    const prove = proofs.get(method);
    if (!prove) throw new BadField('methods', `${method} is not supported`);
    prove(call, identity);
  }
  requireUserMayLogIn(call.world);
  return methods;
}

type Proof = (call: Call, identity: JsonObject) => void;

const proofs = new Map<string, Proof>([
  ['password', (_call, identity) => provePassword(object(object(identity, 'password'), 'user'))],
  ['totp', (_call, identity) => provePasscode(object(object(identity, 'totp'), 'user'))],
  ['token', (call, identity) => proveToken(call, text(object(identity, 'token'), 'id'))],
  [
    'assume_role',
    (call, identity) => {
      proveToken(call, call.request.headers['x-auth-token'] ?? '');
      proveAgency(object(identity, 'assume_role'));
    },
  ],
]);

function provePassword(user: JsonObject): void {
  const password = text(user, 'password');
  const id = optionalText(user, 'id');
  const isUser = id
    ? id === DEMO_USER.id
    : text(user, 'name') === DEMO_USER.name && isOurDomain(object(user, 'domain'));
  if (!isUser || password !== DEMO_USER.password) throw wrongPassword();
}

function provePasscode(user: JsonObject): void {
  if (!/^\d{6}$/.test(text(user, 'passcode'))) throw wrongPassword();
}

function proveToken(call: Call, id: string): void {
  const token = call.world.tokens[id];
  if (!token || token.expiresAt <= call.now) throw refuse(401, 'IAM.0067', 'The token is invalid.');
}

export function proveAgency(role: JsonObject): void {
  const name = optionalText(role, 'xrole_name') ?? text(role, 'agency_name');
  const domain = optionalText(role, 'domain_name') ?? optionalText(role, 'domain_id');
  const isOurs = domain === DEMO_DOMAIN.name || domain === DEMO_DOMAIN.id;
  if (!isOurs || name !== DEMO_AGENCY) throw refuse(404, 'IAM.0004', `Could not find agency ${name}.`);
}

const isOurDomain = (domain: JsonObject): boolean =>
  optionalText(domain, 'name') === DEMO_DOMAIN.name || optionalText(domain, 'id') === DEMO_DOMAIN.id;

/** Both scopes given: the project wins. None: global. */
export function readScope(auth: JsonObject): Scope {
  const scope = optionalObject(auth, 'scope') ?? {};
  const project = optionalObject(scope, 'project');
  if (project) return { projectId: findProject(project), isDomainScoped: false };
  const domain = optionalObject(scope, 'domain');
  if (domain && !isOurDomain(domain))
    throw refuse(401, 'IAM.0001', 'You are not authorized for this domain.');
  return { projectId: undefined, isDomainScoped: domain !== undefined };
}

function findProject(wanted: JsonObject): string {
  const id = optionalText(wanted, 'id');
  const domain = optionalObject(wanted, 'domain');
  if (domain && !isOurDomain(domain))
    throw refuse(401, 'IAM.0001', 'You are not authorized for this domain.');
  const found = id
    ? PROJECTS.find((p) => p.id === id)
    : PROJECTS.find((p) => p.name === text(wanted, 'name'));
  if (!found) throw refuse(400, 'IAM.1109', 'The project does not exist.');
  return found.id;
}
