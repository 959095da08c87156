// A small storm over real processes, and proof that its judge sees a double. The big one is `npm run chaos`.
import t from 'tap';
import { backgroundClock } from '../../src/local/background-clock.ts';
import { readCredentials } from '../../src/otc/credentials.ts';
import { createOpenCloud } from '../../src/otc/open.ts';
import { createUndiciSend } from '../../src/otc/undici-send.ts';
import { metacontrollerHome } from '../cluster/metacontroller.ts';
import type { SimulatedCloud } from '../cluster/simulated-cloud.ts';
import { newInstance } from '../otc/scripted-cloud.ts';
import { keepEvidence } from './keep.ts';
import { harm, unfinished } from './oracles.ts';
import { type RunOptions, startChaos } from './run.ts';

t.setTimeout(1_800_000);

const { home, notice } = metacontrollerHome();

const options: RunOptions = {
  seed: 1,
  rds: 20,
  seconds: 40,
  replicas: 2,
  calmSeconds: 600,
  silenceSeconds: 5,
  metacontrollerHome: home,
  say: (line) => t.comment(line),
};

/** As a hook would that has not heard of the first one. */
async function createByHand(cloud: SimulatedCloud, name: string): Promise<void> {
  const { send, close } = createUndiciSend();
  const open = createOpenCloud({ send, clock: backgroundClock, random: () => 0.5 });
  const account = open(readCredentials(cloud.env), { remainingMs: () => 3_000 });
  const network = await account.network({ vpc: 'default', subnet: 'default', securityGroup: 'default' });
  const [flavor] = (await account.flavors('PostgreSQL', '16')).filter(({ mode }) => mode === 'single');
  await account.createInstance({ ...newInstance, ...network, flavor: flavor?.code ?? '', name });
  await close();
}

t.test('a storm over 20 Rds doubles nothing, loses nothing, and all become Ready', async (t) => {
  if (notice) t.comment(notice);
  const run = await startChaos(options);
  t.teardown(run.stop);
  const verdict = await run.play();
  if (verdict.violations.length > 0) t.comment(`evidence: ${await keepEvidence(run, options, verdict)}`);
  t.same(verdict.violations, []);
  t.ok(
    Object.entries(verdict.blows).filter(([kind]) => kind.startsWith('kill -9')).length >= 5,
    'a real storm',
  );

  const [instance] = await run.stage.cloud.instances();
  await createByHand(run.stage.cloud, instance?.name ?? '');
  await createByHand(run.stage.cloud, 'chaos_nobody_0123456789ab');
  const seen = await run.stage.gather(verdict.incarnations);
  t.match(harm(seen), [/two instances for one Rds/], 'a double is seen');
  t.match(unfinished(seen).join(), /instance chaos_nobody_0123456789ab .* has no Rds/, 'a stray one is seen');
});
