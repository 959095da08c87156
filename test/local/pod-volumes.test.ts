import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { KubeCall } from '../../src/kube/api.ts';
import { writeVolumes } from '../../src/local/pods/inputs.ts';
import type { Pod, Volume } from '../../src/local/pods/types.ts';

const SECRETS: Record<string, Record<string, string>> = {
  connection: { ip: '10.0.0.1', port: '3306', password: 'of-clients' },
  root: { password: 'of-root' },
};

const kube: KubeCall = async ({ path }) => {
  const values = SECRETS[path.split('/').at(-1) ?? ''];
  if (!values) return { status: 404, body: {} };
  const data = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
  return { status: 200, body: { data } };
};

const item = (key: string) => ({ key, path: key });

async function filesOf(volume: Volume): Promise<Record<string, string>> {
  const dir = mkdtempSync(join(tmpdir(), 'rds-volumes-'));
  try {
    const pod: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'job', namespace: 'team-a' },
      spec: { containers: [], volumes: [volume] },
    };
    const folder = (await writeVolumes({ kube, pod, hasOwnUser: false }, dir)).get(volume.name) ?? '';
    return Object.fromEntries(
      readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
    );
  } finally {
    rmSync(dir, { recursive: true });
  }
}

t.test('a projected volume brings files of several Secrets into one folder', async (t) => {
  const sources = [
    { secret: { name: 'connection', items: [item('ip'), item('port')] } },
    { secret: { name: 'root', items: [item('password')] } },
  ];
  t.same(await filesOf({ name: 'login', projected: { sources } }), {
    ip: '10.0.0.1',
    port: '3306',
    password: 'of-root',
  });
  const missing = [...sources, { secret: { name: 'gone', items: [item('username')] } }];
  await t.rejects(filesOf({ name: 'login', projected: { sources: missing } }), /secrets gone not found/);
  const optional = [...sources, { secret: { name: 'gone', optional: true } }];
  t.same(Object.keys(await filesOf({ name: 'login', projected: { sources: optional } })).sort(), [
    'ip',
    'password',
    'port',
  ]);
});

t.test('a token is not among what can be projected here', async (t) => {
  const token = { serviceAccountToken: { path: 'token' } } as object;
  await t.rejects(filesOf({ name: 'token', projected: { sources: [token] } }), /volume token/);
});
