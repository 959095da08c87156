import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { KubeObject, KubeRequest } from '../../src/kube/api.ts';
import { createApiServer } from '../../src/local/api-server.ts';
import { backgroundClock } from '../../src/local/background-clock.ts';
import { parseManifests } from '../../src/local/manifest-files.ts';
import { createManifests } from '../../src/local/manifests.ts';
import { knownResources } from '../../src/local/resources.ts';
import { seededUids } from '../../src/local/seeded-uids.ts';
import { createVirtualClock } from '../../src/local/virtual-clock.ts';
import { rdsPath, startMs } from './toy.ts';

const rds = (name: string, volumesize: number) => `apiVersion: otc.mcsps.de/v1alpha1
kind: Rds
metadata:
  name: ${name}
  namespace: team-a
spec:
  volumesize: ${volumesize}
`;

const setUp = (folder: string, prune = false) => {
  const server = createApiServer({ clock: createVirtualClock(startMs), uid: seededUids(1) });
  const problems: string[] = [];
  const manifests = createManifests({
    folder,
    kube: server.call,
    clock: backgroundClock,
    prune,
    onProblem: ({ file, line, reason }) => problems.push(`${file}:${line}: ${reason}`),
  });
  const send = async (method: KubeRequest['method'], path: string) => {
    const response = await server.call({ method, path, deadlineMs: 1 });
    return { status: response.status, body: response.body as KubeObject };
  };
  return { manifests, problems, send, server };
};

t.test('a folder is applied, namespaces and all, and its fields belong to kubectl', async (t) => {
  const folder = t.testdir({
    'a.yaml': `${rds('one', 40)}---\n${rds('two', 50)}`,
    'note.txt': 'not: yaml: at: all',
  });
  const { manifests, problems, send } = setUp(folder);
  await manifests.apply();
  t.strictSame(problems, []);
  t.match((await send('GET', rdsPath('one'))).body, {
    spec: { volumesize: 40 },
    metadata: {
      managedFields: [
        { manager: 'kubectl', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:volumesize': {} } } },
      ],
    },
  });
  t.equal((await send('GET', rdsPath('two'))).status, 200);
  t.equal((await send('GET', '/api/v1/namespaces/team-a')).status, 200);
});

t.test('a broken file is reported with its place, the rest goes on', async (t) => {
  const folder = t.testdir({
    'bad.yaml': `${rds('good-one', 40)}---\nkind: Rds\nmetadata:\n  name: [unclosed\n`,
    'kinds.yaml': 'apiVersion: v9\nkind: Widget\nmetadata:\n  name: x\n---\njust text\n',
    'nameless.yaml': '# a comment\n\napiVersion: v1\nkind: Secret\nmetadata: {}\n',
    'refused.yaml': rds('BIG', 40),
    'z.yaml': rds('last', 40),
  });
  const { manifests, problems, send } = setUp(folder);
  await manifests.apply();
  t.match(problems, [
    /^bad\.yaml:1\d: Flow sequence/,
    /^kinds\.yaml:1: Widget of v9 is not known here/,
    /^kinds\.yaml:6: not a Kubernetes object/,
    /^nameless\.yaml:3: Secret without metadata\.name/,
    /^refused\.yaml:1: .*metadata\.name: Invalid value: "BIG"/,
  ]);
  t.equal((await send('GET', rdsPath('good-one'))).status, 200);
  t.equal((await send('GET', rdsPath('last'))).status, 200);
});

t.test('only what changed is applied again', async (t) => {
  const folder = t.testdir({ 'a.yaml': rds('one', 40), 'b.yaml': rds('two', 40) });
  const { manifests, send } = setUp(folder);
  await manifests.apply();
  await send('DELETE', rdsPath('two'));
  writeFileSync(join(folder, 'a.yaml'), rds('one', 50));
  await manifests.apply();
  t.match((await send('GET', rdsPath('one'))).body, {
    spec: { volumesize: 50 },
    metadata: { generation: 2 },
  });
  t.equal((await send('GET', rdsPath('two'))).status, 404, 'deleted by hand stays deleted');
});

t.test('a removed file deletes its objects only with prune, and never while a file is broken', async (t) => {
  for (const prune of [false, true]) {
    const folder = t.testdir({ 'a.yaml': rds('one', 40), 'b.yaml': rds('two', 40) });
    const { manifests, send } = setUp(folder, prune);
    await manifests.apply();
    rmSync(join(folder, 'a.yaml'));
    writeFileSync(join(folder, 'broken.yaml'), 'a: [');
    await manifests.apply();
    t.equal((await send('GET', rdsPath('one'))).status, 200);
    rmSync(join(folder, 'broken.yaml'));
    await manifests.apply();
    t.equal((await send('GET', rdsPath('one'))).status, prune ? 404 : 200);
    t.equal((await send('GET', rdsPath('two'))).status, 200);
  }
});

t.test('saving a file is noticed', async (t) => {
  const folder = t.testdir({ 'a.yaml': rds('one', 40) });
  const { manifests, server } = setUp(folder);
  const abort = new AbortController();
  const sizes: unknown[] = [];
  const grown = new Promise<void>((resolve) => {
    server.watch(({ object }) => {
      if (object.kind === 'Rds') sizes.push((object.spec as { volumesize: number }).volumesize);
      if (sizes.length === 1) writeFileSync(join(folder, 'a.yaml'), rds('one', 50));
      if (sizes.includes(50)) resolve();
    });
  });
  const done = manifests.follow(abort.signal);
  // The watcher's own timers do not hold the process.
  const hold = setInterval(() => {}, 1000);
  await grown;
  clearInterval(hold);
  abort.abort();
  await done;
  t.strictSame(sizes, [40, 50]);
});

t.test('an empty file holds nothing', (t) => {
  t.strictSame(parseManifests('x', '', knownResources), { manifests: [], problems: [] });
  t.strictSame(parseManifests('x', '---\n# only words\n---\n', knownResources), {
    manifests: [],
    problems: [],
  });
  t.end();
});
