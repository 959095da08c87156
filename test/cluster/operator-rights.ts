// Everything that the hook may do in the cluster, and nothing more: the tests prove that it is enough.
import { OPERATOR_NAMESPACE } from './hook-replica.ts';

const subject = 'subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: User, name: rds-pilot }]';

export const LEASE_BINDING = `/apis/rbac.authorization.k8s.io/v1/namespaces/${OPERATOR_NAMESPACE}/rolebindings/rds-pilot`;

export const LEASE_RIGHTS = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: rds-pilot, namespace: ${OPERATOR_NAMESPACE} }
rules:
- { apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, create, update, delete] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: rds-pilot, namespace: ${OPERATOR_NAMESPACE} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: rds-pilot }
${subject}
`;

export const OPERATOR_RIGHTS = `
apiVersion: v1
kind: Namespace
metadata: { name: ${OPERATOR_NAMESPACE} }
---${LEASE_RIGHTS}---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: rds-pilot }
rules:
- { apiGroups: [otc.mcsps.de], resources: [rdss], verbs: [get] }
- { apiGroups: [""], resources: [namespaces], verbs: [get] }
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  resourceNames: [rdss.otc.mcsps.de]
  verbs: [get]
- { apiGroups: [""], resources: [events], verbs: [create] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: rds-pilot }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: rds-pilot }
${subject}
`;
