import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { parse, parseAllDocuments } from 'yaml';
import { fullSpec } from '../../src/rds/defaults.ts';
import { NAME_PATTERN } from '../../src/rds/rules.ts';
import type { RdsSpec } from '../../src/rds/spec.ts';
import { specProblems } from '../../src/rds/validate.ts';

const folder = new URL('../../metacontroller/', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, folder), 'utf8');

type Hook = { version?: string; webhook: { url: string; timeout: string; etag?: unknown } };
type Controller = {
  metadata: { name: string };
  spec: {
    parentResource: Record<string, unknown>;
    resyncPeriodSeconds: number;
    childResources: { apiVersion: string; resource: string; updateStrategy: { method: string } }[];
    hooks: Record<string, Hook>;
  };
};
const controller = parse(read('controller.yaml')) as Controller;
const backups = parse(read('controller-rdsbackup.yaml')) as Controller;

t.test('the controllers keep their names: the finalizers on all objects hang on them', async (t) => {
  t.equal(controller.metadata.name, 'rds');
  t.equal(backups.metadata.name, 'rdsbackup');
});

t.test('no label edit can look like a delete', async (t) => {
  t.same(controller.spec.parentResource, { apiVersion: 'otc.mcsps.de/v1alpha1', resource: 'rdss' });
  t.same(backups.spec.parentResource, { apiVersion: 'otc.mcsps.de/v1alpha1', resource: 'rdsbackups' });
});

t.test('all three hooks are there, in version 2, with 30 s and without etag', async (t) => {
  for (const { spec, path } of [
    { spec: controller.spec, path: '' },
    { spec: backups.spec, path: 'rdsbackup/' },
  ]) {
    t.same(Object.keys(spec.hooks).sort(), ['customize', 'finalize', 'sync']);
    for (const [name, hook] of Object.entries(spec.hooks)) {
      t.equal(hook.version, 'v2', name);
      t.equal(hook.webhook.timeout, '30s', name);
      t.equal(hook.webhook.etag, undefined, name);
      t.match(hook.webhook.url, new RegExp(`:8080/${path}${name}$`));
    }
  }
});

t.test('the pace comes from the answers, and no child is rolled', async (t) => {
  t.equal(controller.spec.resyncPeriodSeconds, 600);
  t.equal(backups.spec.resyncPeriodSeconds, 600);
  t.equal(backups.spec.childResources, undefined, 'a backup has no children');
  const methods = Object.fromEntries(
    controller.spec.childResources.map(({ resource, updateStrategy }) => [resource, updateStrategy.method]),
  );
  t.same(methods, { services: 'InPlace', endpointslices: 'InPlace', secrets: 'InPlace', jobs: 'OnDelete' });
});

t.test('sharing holds up no namespace, sees those that withdraw, and is asked in version 2', async (t) => {
  const share = parse(read('decorator-share.yaml')) as {
    metadata: { name: string };
    spec: { resources: Record<string, unknown>[]; attachments: unknown[]; hooks: Record<string, Hook> };
  };
  t.equal(share.metadata.name, 'rds-share');
  t.same(
    Object.keys(share.spec.hooks).sort(),
    ['customize', 'sync'],
    'a finalizer would hang on a namespace',
  );
  t.same(
    share.spec.resources,
    [{ apiVersion: 'v1', resource: 'namespaces', ignoreStatusChanges: true }],
    'with a selector a namespace that takes its annotation back would never be looked at again',
  );
  t.same(share.spec.attachments, [
    { apiVersion: 'v1', resource: 'secrets', updateStrategy: { method: 'InPlace' } },
  ]);
  for (const [name, { version, webhook }] of Object.entries(share.spec.hooks)) {
    t.match({ version, timeout: webhook.timeout }, { version: 'v2', timeout: '30s' });
    t.match(webhook.url, new RegExp(`:8080/share/${name}$`));
  }
});

t.test('every example applies: its spec and its name break no rule', async (t) => {
  const files = readdirSync(new URL('examples/', folder));
  t.not(files.length, 0);
  for (const file of files) {
    for (const document of parseAllDocuments(read(`examples/${file}`))) {
      const object = document.toJS() as { kind: string; metadata: { name: string }; spec: RdsSpec };
      if (object.kind !== 'Rds') continue;
      t.same(specProblems(fullSpec(object.spec)), [], file);
      t.match(object.metadata.name, new RegExp(NAME_PATTERN), file);
      t.ok(object.metadata.name.length <= 52, file);
    }
  }
});
