// What a hook call about an RdsBackup needs to see: the Rds it is of, and the Secret with the credentials.

import type { RdsBackup } from '../../rds/backup.ts';
import { API_VERSION } from '../../rds/crd.ts';
import { NAMESPACE_CREDENTIALS } from '../credentials.ts';
import type { RelatedRule } from '../customize.ts';

export function backupRelatedResources({ metadata, spec }: RdsBackup): RelatedRule[] {
  const { namespace } = metadata;
  const secret = spec.credentialsSecretRef?.name ?? NAMESPACE_CREDENTIALS;
  const rules: RelatedRule[] = [{ apiVersion: 'v1', resource: 'secrets', namespace, names: [secret] }];
  if (spec.rds !== undefined)
    rules.push({ apiVersion: API_VERSION, resource: 'rdss', namespace, names: [spec.rds] });
  return rules;
}
