import { spawn } from 'node:child_process';
import t, { type Test } from 'tap';
import type { Database } from '../../src/simulator/real/database.ts';
import { ownServers } from '../../src/simulator/real/own-servers.ts';

const database = { survey: async () => ({ databases: [], users: [] }) } as unknown as Database;

/** A server that ends at once for so many starts. */
function createServers(t: Test, failing: number) {
  const ports: number[] = [];
  const supply = ownServers(
    {
      admin: 'admin',
      stopSignal: 'SIGTERM',
      initialise: async () => {},
      start(_home, port) {
        ports.push(port);
        const command = ports.length > failing ? 'exec sleep 60' : 'echo port is taken >&2; exit 1';
        return spawn('sh', ['-c', command], { stdio: ['ignore', 'ignore', 'pipe'] });
      },
    },
    {
      ...database,
      survey: async (login) => {
        if (ports.length <= failing) throw new Error('nobody answers');
        return database.survey(login);
      },
    },
    () => t.testdirName,
  );
  t.testdir({});
  t.teardown(() => supply.close());
  return { supply, ports };
}

t.test('a server that finds its port taken is started on another one', async (t) => {
  const { supply, ports } = createServers(t, 1);
  const { admin } = await supply.take('one');
  t.equal(ports.length, 2);
  t.equal(admin.port, ports[1]);
});

t.test('one that ends again and again is given up, with its complaint', async (t) => {
  const { supply, ports } = createServers(t, 99);
  await t.rejects(supply.take('one'), /The server did not start: port is taken/);
  t.equal(ports.length, 3);
});
