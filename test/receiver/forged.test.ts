import t from 'tap';
import { FORGERIES } from './forged-messages.ts';
import { stage } from './stage.ts';

t.comment(`${FORGERIES.length} forged messages`);

t.test('at least forty kinds of forgery are tried', async (t) => {
  t.ok(FORGERIES.length >= 40);
  t.equal(new Set(FORGERIES.map(({ given }) => given)).size, FORGERIES.length, 'and no two are the same');
});

for (const { given, want, asks = 0, body } of FORGERIES) {
  t.test(`${given} changes nothing`, async (t) => {
    // Hosts that keep us waiting are given up soon.
    const world = await stage(t, { getMs: 300 });
    const sent = await body(world);
    const before = await world.rds();
    const answer = await world.post(sent);
    t.same(answer, { status: 403, body: '', outcome: want });
    t.equal(world.asked.length, asks, `requests to others: ${world.asked.join(' ')}`);
    t.same(world.writes, []);
    t.same(await world.rds(), before);
    // A host that the cloud itself has signed is told to the operator.
    const itsOwn = want === 'confirmLink' ? /rds039|t0ken/ : /rds039|t0ken|evil/;
    t.notMatch(world.lines.join(), itsOwn, 'nothing of it is in the log');
  });
}

t.test('every forgery differs from a good message by nothing else', async (t) => {
  const world = await stage(t);
  t.match(await world.post(JSON.stringify(world.letter())), { status: 200, outcome: 'nudged' });
});
