// A kubeconfig for one user of a test control plane, for kubectl and for programs under test.
import { stringify } from 'yaml';

export type KubeconfigInput = { url: string; ca: string; user: string; token: string; namespace?: string };

export function kubeconfig({ url, ca, user, token, namespace = 'default' }: KubeconfigInput): string {
  const name = 'rds-pilot-test';
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [
      { name, cluster: { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
    ],
    users: [{ name: user, user: { token } }],
    contexts: [{ name, context: { cluster: name, user, namespace } }],
  });
}
