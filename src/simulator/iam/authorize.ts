// What the caller may do: the project of the path must be his, and an inline policy must allow the action.
import type { Service } from '../../otc/send.ts';
import type { Call, Route } from '../protocol.ts';
import { type Refusal, refuse } from '../refusal.ts';
import type { Statement } from './types.ts';

const foreignProject: Record<Service, () => Refusal> = {
  iam: () => refuse(403, 'IAM.0002', 'You are not authorized to perform the requested action.'),
  rds: () => refuse(403, 'DBS.200010', 'The project ID differs from the one in the token.'),
  vpc: () => refuse(400, 'VPC.0007', 'The project ID in the URL is different from that in the token.'),
  ces: () => refuse(403, 'ces.0017', 'The project ID differs from the one in the token.'),
  smn: () => refuse(403, 'SMN.0010', 'The project ID differs from the one in the token.'),
};

const forbiddenCodes: Record<Service, string> = {
  iam: 'IAM.0003',
  rds: 'DBS.200044',
  vpc: 'VPC.0010',
  ces: 'ces.0017',
  smn: 'SMN.0010',
};

export function authorize(call: Call, route: Route): void {
  const { service } = route;
  if (service !== 'iam') {
    const wanted = call.params.project ?? call.identity.projectId;
    if (!wanted || wanted !== call.identity.projectId) throw foreignProject[service]();
  }
  const policy = call.identity.policy;
  if (!policy || !route.action) return;
  const action = typeof route.action === 'string' ? route.action : route.action(call);
  if (!isAllowed(policy, action))
    throw refuse(403, forbiddenCodes[service], `Policy does not allow ${action}.`);
}

function isAllowed(policy: readonly Statement[], action: string): boolean {
  const hits = policy.filter((statement) => statement.actions.some((pattern) => covers(pattern, action)));
  return hits.some((hit) => hit.effect === 'Allow') && !hits.some((hit) => hit.effect === 'Deny');
}

/** `rds:*:list` covers `rds:log:list`; a bare `*` covers all. */
function covers(pattern: string, action: string): boolean {
  if (pattern === '*') return true;
  const wanted = action.split(':');
  const parts = pattern.split(':');
  return wanted.every(
    (part, index) => parts[index] === '*' || parts[index]?.toLowerCase() === part.toLowerCase(),
  );
}
