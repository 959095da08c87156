// The CompositeControllers as they are shipped in metacontroller/, with the hook's address and token put in.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { KubeObject } from '../../src/kube/api.ts';
import { OPERATOR_NAMESPACE } from './hook-replica.ts';
import { CHECKOUT } from './node-process.ts';

export type ControllerSettings = {
  /** Where hook calls go, e.g. the balancer. */
  hookUrl: string;
  hookToken: string;
  /** With the DecoratorController that shares Secrets. */
  shares?: boolean;
  /** A change of it is an edit of the spec. */
  resyncPeriodSeconds?: number;
};

type Spec = {
  resyncPeriodSeconds: number;
  hooks: Record<string, { version: string; webhook: { url: string; [field: string]: unknown } }>;
};

const SECRET = { name: 'hook-token', namespace: OPERATOR_NAMESPACE, key: 'token' };

export const tokenSecret = ({ hookToken }: ControllerSettings): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: SECRET.name, namespace: SECRET.namespace },
  data: { [SECRET.key]: Buffer.from(hookToken).toString('base64') },
});

export function compositeControllers(settings: ControllerSettings): (KubeObject & { spec: Spec })[] {
  const names = ['controller', 'controller-rdsbackup', ...(settings.shares ? ['decorator-share'] : [])];
  return names.map((name) => {
    const file = join(CHECKOUT, 'metacontroller', `${name}.yaml`);
    const manifest = parse(readFileSync(file, 'utf8')) as KubeObject & { spec: Spec };
    for (const { webhook } of Object.values(manifest.spec.hooks)) {
      webhook.url = new URL(new URL(webhook.url).pathname, settings.hookUrl).href;
      webhook.authorization = { type: 'Bearer', secretRef: SECRET };
    }
    if (settings.resyncPeriodSeconds !== undefined)
      manifest.spec.resyncPeriodSeconds = settings.resyncPeriodSeconds;
    return manifest;
  });
}
