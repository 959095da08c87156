// What the hook may do in the cluster: the rights that docs/operations.md tells people to give, and nothing more.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPERATOR_NAMESPACE } from './hook-replica.ts';
import { CHECKOUT } from './node-process.ts';

const PAGE = join('docs', 'operations.md');

function documentedRoles(): string {
  const blocks = readFileSync(join(CHECKOUT, PAGE), 'utf8').matchAll(/```yaml\n([\s\S]*?)```/g);
  const roles = [...blocks].map(([, text = '']) => text).find((text) => text.includes('kind: ClusterRole\n'));
  if (!roles) throw new Error(`${PAGE} shows no Role and ClusterRole of rds-pilot any more`);
  return roles;
}

const binding = (kind: 'Role' | 'ClusterRole', scope: string): string => `
apiVersion: rbac.authorization.k8s.io/v1
kind: ${kind}Binding
metadata: { name: rds-pilot${scope} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ${kind}, name: rds-pilot }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: User, name: rds-pilot }]
`;

export const LEASE_BINDING_PATH = `/apis/rbac.authorization.k8s.io/v1/namespaces/${OPERATOR_NAMESPACE}/rolebindings/rds-pilot`;
export const LEASE_BINDING = binding('Role', `, namespace: ${OPERATOR_NAMESPACE}`);

export const operatorRights = (): string =>
  [
    `apiVersion: v1\nkind: Namespace\nmetadata: { name: ${OPERATOR_NAMESPACE} }\n`,
    documentedRoles(),
    LEASE_BINDING,
    binding('ClusterRole', ''),
  ].join('---\n');
