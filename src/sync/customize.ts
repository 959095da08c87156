// Which objects beside its children a hook call needs to see: Secrets that the spec names, whatever already
// has the name of a child, the source of a restore, and, only while the Rds is being deleted, its Namespace and CRD.

import { API_VERSION, GROUP } from '../rds/crd.ts';
import { connectionSecretName, rootSecretName, serviceName } from '../rds/names.ts';
import type { Rds } from '../rds/object.ts';
import { NAMESPACE_CREDENTIALS } from './credentials.ts';
import { drawingSecretNames, userSecretNames } from './user-passwords.ts';

export type RelatedRule = { apiVersion: string; resource: string; namespace?: string; names: string[] };

export function relatedResources(rds: Rds): RelatedRule[] {
  const { name, namespace, deletionTimestamp } = rds.metadata;
  const { passwordSecretRef, credentialsSecretRef } = rds.spec;
  const secrets = new Set([
    credentialsSecretRef?.name ?? NAMESPACE_CREDENTIALS,
    connectionSecretName(name),
    rootSecretName(name),
  ]);
  if (passwordSecretRef) secrets.add(passwordSecretRef.name);
  for (const user of rds.spec.users ?? [])
    if (user.passwordSecretRef) secrets.add(user.passwordSecretRef.name);
  for (const user of [...userSecretNames(rds), ...drawingSecretNames(rds)]) secrets.add(user);
  const rules: RelatedRule[] = [
    { apiVersion: 'v1', resource: 'secrets', namespace, names: [...secrets] },
    { apiVersion: 'v1', resource: 'services', namespace, names: [serviceName(name)] },
    // Endpoints left by the old operator would be mirrored into our Service.
    { apiVersion: 'v1', resource: 'endpoints', namespace, names: [serviceName(name)] },
    { apiVersion: 'discovery.k8s.io/v1', resource: 'endpointslices', namespace, names: [serviceName(name)] },
  ];
  const { backup, rds: sourceRds } = rds.spec.restoreFrom ?? {};
  if (backup) rules.push({ apiVersion: API_VERSION, resource: 'rdsbackups', namespace, names: [backup] });
  if (sourceRds) rules.push({ apiVersion: API_VERSION, resource: 'rdss', namespace, names: [sourceRds] });
  if (deletionTimestamp === undefined) return rules;
  return [
    ...rules,
    { apiVersion: 'v1', resource: 'namespaces', names: [namespace] },
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      resource: 'customresourcedefinitions',
      names: [`rdss.${GROUP}`],
    },
  ];
}
