// A private server for each instance, driven through the API and looked at with the engine's own client.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { address, endpointOf, freePort, mysql, postgres, realCloud, reasonToSkip } from './real-cloud.ts';
import { type Json, passwordAuth, testCloud } from './test-cloud.ts';

for (const engine of [mysql, postgres])
  t.test(`${engine.name}, each instance with its own server`, { skip: reasonToSkip(engine) }, async (t) => {
    const { query, sql, order } = engine;
    const cloud = await realCloud({ [engine.flag]: 'own' });
    t.teardown(() => cloud.host.close({ data: false }));
    const port = await freePort(engine);
    const first = await cloud.ordered({ ...order, port, name: 'first' });
    const at = endpointOf(first);

    await t.test('is reached at an address of the machine, by a root that is no superuser', async (t) => {
      t.match(first, { status: 'ACTIVE', private_ips: [address], port, db_user_name: 'root' });
      t.notMatch(address, /^127\./);
      t.equal((await query(at, sql.isSuper)).trim(), '0');
      await t.rejects(query(at, sql.superOnly), /denied|permission|must be superuser/i);
      await t.rejects(query({ ...at, password: 'Wrong-1234' }, sql.databases), /denied|authentication/i);
      await query(at, sql.fill);
      t.equal(await query(at, sql.read), 'apple\n', 'root makes databases, logins and rows');
    });

    await t.test('has its port for itself', async (t) => {
      const reply = await cloud.rds(
        'POST',
        '/instances',
        await cloud.order({ ...order, port, name: 'twin' }),
      );
      t.match(reply, { status: 400, body: { error_code: 'DBS.280001', error_msg: /--listen-address/ } });
      t.equal((await cloud.rds('GET', '/instances?name=twin')).body.total_count, 0);
      const elsewhere = await cloud.order({ ...order, port: port + 1, name: 'vip', data_vip: '192.168.0.9' });
      t.equal((await cloud.rds('POST', '/instances', elsewhere)).status, 400, 'no address but the machine’s');
      t.equal((await cloud.rds('PUT', `/instances/${first.id}/ip`, { new_ip: '192.168.0.9' })).status, 400);
    });

    // A MariaDB that starts removes the temporary tables of others that use the same folder.
    if (engine === mysql)
      await t.test('has a folder of its own for temporary tables', async (t) => {
        const folder = (await query(at, 'SELECT @@tmpdir')).trim();
        t.ok(folder.startsWith(join(cloud.folder, 'instances', first.id)), folder);
      });

    const backup = await cloud.backedUp(first.id, 'good');
    await query(at, sql.spoil);
    const other = { ...order, port: await freePort(engine), name: 'second', password: 'Anders-1234' };
    const point = { instance_id: first.id, type: 'backup', backup_id: backup };
    const second = await cloud.ordered({ ...other, restore_point: point });
    const there = endpointOf(second, 'Anders-1234');

    await t.test('a new instance from a backup has the data and logins of then', async (t) => {
      t.equal(second.status, 'ACTIVE', cloud.problems.join());
      t.equal(await query(there, sql.read), 'apple\n');
      t.notMatch(await query(there, sql.databases), /later/);
      t.equal(await query(at, sql.read), 'apple\nrot\n', 'the source goes on');
      const app = { ...there, user: 'app', password: 'App-12345', database: 'shop' };
      t.equal((await query(app, 'SELECT 1')).trim(), '1');
    });

    await t.test('a restore puts the data back', async (t) => {
      // PostgreSQL goes onto another instance only.
      const target = engine === mysql ? first : second;
      const end = engine === mysql ? at : there;
      if (engine === postgres) await query(there, sql.spoil);
      const body = { source: point, target: { instance_id: target.id } };
      t.equal((await cloud.rds('POST', '/instances/recovery', body)).status, 200);
      t.equal((await cloud.show(target.id)).status, 'RESTORING');
      await t.rejects(query(end, sql.read), /connect|refused/i, 'nobody gets in meanwhile');
      await cloud.settled(target.id);
      t.equal(await query(end, sql.read), 'apple\n');
      t.notMatch(await query(end, sql.databases), /later/);
    });

    await t.test('a password reset counts when it is answered', async (t) => {
      const body = { db_user_pwd: 'Neu-12345678' };
      t.equal((await cloud.rds('POST', `/instances/${second.id}/password`, body)).status, 200);
      await t.rejects(query(there, sql.read), /denied|authentication/i);
      t.equal(await query({ ...there, password: 'Neu-12345678' }, sql.read), 'apple\n');
      there.password = 'Neu-12345678';
    });

    await t.test('a stopped instance refuses connections until it is started', async (t) => {
      t.equal((await cloud.rds('POST', `/instances/${second.id}/action/shutdown`, {})).status, 200);
      await cloud.settled(second.id, 'SHUTDOWN');
      await t.rejects(query(there, sql.read), /connect|refused/i);
      t.equal((await cloud.rds('POST', `/instances/${second.id}/action/startup`, {})).status, 200);
      await cloud.settled(second.id);
      t.equal(await query(there, sql.read), 'apple\n');
    });

    await t.test('a port change moves it', async (t) => {
      t.equal((await cloud.rds('PUT', `/instances/${second.id}/port`, { port })).status, 400, 'taken');
      const next = await freePort(engine);
      t.equal((await cloud.rds('PUT', `/instances/${second.id}/port`, { port: next })).status, 200);
      await cloud.settled(second.id);
      t.equal(await query({ ...there, port: next }, sql.read), 'apple\n');
      await t.rejects(query(there, sql.read), /connect|refused/i);
      there.port = next;
    });

    await t.test('data, logins and backups outlive the simulator', async (t) => {
      const saved = cloud.simulator.save();
      await cloud.host.close({ data: true });
      await t.rejects(query(there, sql.read), /connect|refused/i);
      const again = await realCloud({ [engine.flag]: 'own', folder: cloud.folder });
      t.teardown(() => again.host.close({ data: false }));
      again.simulator.load(saved);
      await again.login();
      t.equal((await again.show(second.id)).status, 'ACTIVE');
      t.equal(await query(there, sql.read), 'apple\n');
      t.same(again.problems, []);

      t.equal((await again.rds('DELETE', `/instances/${first.id}`)).status, 202);
      await again.until('it is gone', async () => (await again.show(first.id)) === undefined);
      await t.rejects(query(at, sql.read), /connect|refused/i);
      t.strictSame(readdirSync(join(again.folder, 'instances')), [second.id]);
      t.ok(existsSync(join(again.folder, 'backups', backup)), 'a manual backup outlives its instance');
      t.equal((await again.rds('DELETE', `/backups/${backup}`)).status, 200);
      await again.until(
        'the dump is gone',
        async () =>
          (await again.rds('GET', '/quotas')).status === 200 &&
          !existsSync(join(again.folder, 'backups', backup)),
      );
      await again.call('POST', '/_sim/reset');
      await t.rejects(query(there, sql.read), /connect|refused/i);
      t.strictSame(readdirSync(join(again.folder, 'instances')), []);
    });
  });

/** What a child says until it is there. */
async function urlOf(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += chunk;
    const url = /at (http:\/\/\S+)/.exec(text)?.[1];
    if (url && text.includes('_sim')) return url;
  }
  throw new Error('it never said where it listens');
}

const alone = 'the command serves real databases and leaves nothing behind';
t.test(alone, { skip: reasonToSkip(postgres) }, async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'rds-main-'));
  const flags = ['--port', '0', '--speed', '1200', '--postgres', 'own', '--data', data];
  const child = spawn(process.execPath, ['src/simulator/main.ts', ...flags], { stdio: 'pipe' });
  t.teardown(() => child.kill('SIGKILL'));
  const url = await urlOf(child);
  const login = await fetch(`${url}/v3/auth/tokens`, {
    method: 'POST',
    body: JSON.stringify(passwordAuth()),
  });
  const headers = { 'x-auth-token': login.headers.get('x-subject-token') ?? '' };
  const { token } = (await login.json()) as Json;
  const rds = token.catalog.find(({ type }: Json) => type === 'rdsv3').endpoints[0].url;
  // Networks have the same ids in every simulator.
  const { order } = await testCloud();
  const body = JSON.stringify(await order({ ...postgres.order, port: await freePort(postgres) }));
  t.equal((await fetch(`${rds}/instances`, { method: 'POST', headers, body })).status, 202);
  const show = async (): Promise<Json> => {
    const list = (await (await fetch(`${rds}/instances`, { headers })).json()) as Json;
    return list.instances[0];
  };
  for (const end = Date.now() + 300_000; (await show()).status === 'BUILD' && Date.now() < end; )
    await new Promise((resolve) => setTimeout(resolve, 100));
  const at = endpointOf(await show());
  t.equal((await postgres.query(at, 'SELECT 1')).trim(), '1');
  child.kill('SIGTERM');
  t.strictSame(await once(child, 'exit'), [0, null]);
  await t.rejects(postgres.query(at, 'SELECT 1'), /refused/);
  t.notOk(existsSync(data), 'without --state the data go');
});
