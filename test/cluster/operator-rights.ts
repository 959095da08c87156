// What the hook may do in the cluster: the roles that are shipped, and nothing more.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { OPERATOR_NAMESPACE } from './hook-replica.ts';
import { CHECKOUT } from './node-process.ts';

const SHIPPED = join('deploy', 'kustomize', 'base', 'rbac.yaml');

function shippedRoles(): string[] {
  const documents = parseAllDocuments(readFileSync(join(CHECKOUT, SHIPPED), 'utf8'));
  const roles = documents.filter((document) =>
    ['Role', 'ClusterRole'].includes(String(document.get('kind'))),
  );
  if (roles.length !== 2) throw new Error(`${SHIPPED} has no Role and ClusterRole of rds-pilot any more`);
  return roles.map((role) => role.toString({ directives: false }));
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
    ...shippedRoles(),
    LEASE_BINDING,
    binding('ClusterRole', ''),
  ].join('---\n');
