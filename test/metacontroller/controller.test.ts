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

t.test('the controller keeps its name: the finalizer on every Rds hangs on it', async (t) => {
  t.equal(controller.metadata.name, 'rds');
});

t.test('no label edit can look like a delete', async (t) => {
  t.same(controller.spec.parentResource, { apiVersion: 'otc.mcsps.de/v1alpha1', resource: 'rdss' });
});

t.test('all three hooks are there, in version 2, with 30 s and without etag', async (t) => {
  t.same(Object.keys(controller.spec.hooks).sort(), ['customize', 'finalize', 'sync']);
  for (const [name, hook] of Object.entries(controller.spec.hooks)) {
    t.equal(hook.version, 'v2', name);
    t.equal(hook.webhook.timeout, '30s', name);
    t.equal(hook.webhook.etag, undefined, name);
    t.match(hook.webhook.url, new RegExp(`:8080/${name}$`));
  }
});

t.test('the pace comes from the answers, and no child is rolled', async (t) => {
  t.equal(controller.spec.resyncPeriodSeconds, 600);
  const methods = Object.fromEntries(
    controller.spec.childResources.map(({ resource, updateStrategy }) => [resource, updateStrategy.method]),
  );
  t.same(methods, { services: 'InPlace', endpointslices: 'InPlace', secrets: 'InPlace', jobs: 'OnDelete' });
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
