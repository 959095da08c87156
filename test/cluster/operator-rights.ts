// What the hook and Metacontroller may do in the cluster: the roles that are shipped, and nothing more.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { OPERATOR_NAMESPACE } from './hook-replica.ts';
import { CHECKOUT } from './node-process.ts';

const SHIPPED = join('deploy', 'kustomize', 'base');

function shippedRoles(file: string, kinds: string[]): string[] {
  const documents = parseAllDocuments(readFileSync(join(CHECKOUT, SHIPPED, file), 'utf8'));
  const roles = documents.filter((document) => kinds.includes(String(document.get('kind'))));
  if (roles.length !== kinds.length)
    throw new Error(`${SHIPPED}/${file} has no ${kinds.join(' and ')} any more`);
  return roles.map((role) => role.toString({ directives: false }));
}

const binding = (kind: 'Role' | 'ClusterRole', scope: string, role = 'rds-pilot', user = role): string => `
apiVersion: rbac.authorization.k8s.io/v1
kind: ${kind}Binding
metadata: { name: ${role}${scope} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ${kind}, name: ${role} }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: User, name: ${user} }]
`;

export const LEASE_BINDING_PATH = `/apis/rbac.authorization.k8s.io/v1/namespaces/${OPERATOR_NAMESPACE}/rolebindings/rds-pilot`;
export const LEASE_BINDING = binding('Role', `, namespace: ${OPERATOR_NAMESPACE}`);

export const operatorRights = (): string =>
  [
    `apiVersion: v1\nkind: Namespace\nmetadata: { name: ${OPERATOR_NAMESPACE} }\n`,
    ...shippedRoles('rbac.yaml', ['Role', 'ClusterRole']),
    LEASE_BINDING,
    binding('ClusterRole', ''),
    ...shippedRoles('rbac-metacontroller.yaml', ['ClusterRole']),
    binding('ClusterRole', '', 'rds-pilot-metacontroller', 'metacontroller'),
  ].join('---\n');
