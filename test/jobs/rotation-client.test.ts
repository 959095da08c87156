// The login of a user is replaced ten times under a client that logs in every 20 ms. It never fails.
import t from 'tap';
import { userSecretName } from '../../src/rds/names.ts';
import type { SqlEngine } from '../../src/rds/sql-wish.ts';
import { reasonToSkip, startServer } from './real-server.ts';
import {
  countOf,
  diesHalfway,
  drawingIsDeleted,
  everythingRestarts,
  type Faults,
  fails,
  inWords,
  rotateUnderClient,
  runsTwice,
  SPECS,
  secretIsDeleted,
  worksAndIsNotHeard,
} from './rotation-under-client.ts';
import { rotationWorld } from './rotation-world.ts';

t.setTimeout(1_800_000);

const ROTATIONS = 10;
const FAULTS: Faults = {
  2: { making: fails },
  3: { making: worksAndIsNotHeard },
  4: { making: everythingRestarts, closing: fails },
  5: { making: runsTwice },
  6: { making: drawingIsDeleted },
  7: { making: diesHalfway, closing: worksAndIsNotHeard },
  8: { closing: everythingRestarts },
  9: { closing: secretIsDeleted },
  10: { making: diesHalfway, closing: diesHalfway },
};

for (const engine of ['MySQL', 'PostgreSQL'] as const satisfies SqlEngine[]) {
  t.test(`${engine}: ten rotations under a client`, { skip: reasonToSkip(engine) }, async (t) => {
    const server = await startServer(engine);
    t.teardown(() => server.stop());
    const spec = {
      ...SPECS[engine],
      databases: ['goods'],
      users: [{ name: 'app', grants: [{ database: 'goods', privileges: ['ALL'] }], rotateEvery: '40h' }],
      rotationGrace: '10h',
    };
    const world = await rotationWorld(t, spec, {
      firstJob: (files) => server.runMounted(files).then(({ report }) => report),
    });
    const account = engine === 'MySQL' ? 'app@%' : 'app';
    const outcome = await rotateUnderClient({
      server,
      world,
      account,
      secretName: userSecretName('shop', 'app', '%'),
      rotations: ROTATIONS,
      faults: FAULTS,
      run: (files, more = {}) => server.run({}, { files, ...more }),
      mountLag: 3,
    });
    const end = await world.login(account);
    t.comment(`${engine}: ${end?.number} rotations, ${inWords(outcome)}`);
    t.same(outcome.failures.slice(0, 5), [], 'no login failed');
    t.match(end, { number: ROTATIONS, state: 'Idle' }, 'all rotations are over');
    t.equal(outcome.faults, countOf(FAULTS), 'every fault happened');
    t.equal(outcome.used.size, 2, 'two logins took turns');
  });
}
