import t from 'tap';
import { ALLOWED, unexplained } from './allowed-differences.ts';
import { compareHistories } from './compare.ts';

const CALLS = 'calls shop';
const ready = 'sync gen=1 Creating id=yes [] -> 200 Ready/Available id=yes []';
const compare = (local: string[], real: string[], subject = CALLS, scenario = 'life') =>
  unexplained(compareHistories(scenario, { [subject]: local }, { [subject]: real })).map(({ kind, line }) => [
    kind,
    line,
  ]);

t.test('equal histories have no difference, however often a state was visited', async (t) => {
  t.same(compare([ready, ready], [ready]), []);
});

t.test('what only one engine did fails, on either side', async (t) => {
  const creates = 'sync gen=1 - id=no [] -> 200 Creating/Creating id=yes []';
  t.same(compare([ready, creates], [ready]), [['only local', creates]]);
  t.same(
    compare(
      [ready],
      [ready, 'finalize gen=2 Ready id=yes deleting [] -> 200 Deleting/- id=yes [] finalized'],
    ),
    [
      [
        'only metacontroller',
        'finalize gen=2 Ready id=yes deleting [] -> 200 Deleting/- id=yes [] finalized',
      ],
    ],
  );
  t.same(compare(['there'], [], 'Secret shop-root'), [['only local', 'there']]);
  t.same(compare([], ['Warning SyncError from metacontroller'], 'events shop'), [
    ['only metacontroller', 'Warning SyncError from metacontroller'],
  ]);
});

t.test('another order fails', async (t) => {
  t.same(compare(['there', 'gone'], ['gone', 'there'], 'Secret a'), [['order', 'there']]);
  const [pending, made] = ['gen=1 finalizer Pending id=no', 'gen=1 finalizer Creating id=yes'];
  t.same(compare([pending, made], [made, pending], 'Rds shop'), [['order', 'gen=1 finalizer Pending']]);
  t.same(
    compare([pending, `${made} a`, `${made} b`], [pending, `${made} b`, `${made} a`], 'Rds shop'),
    [],
    'inside a phase order is chance',
  );
});

t.test('another picture with the same answer is allowed, another answer is not', async (t) => {
  const late = 'sync gen=1 Pending id=no [] -> 200 Ready/Available id=yes []';
  t.same(compare([ready], [ready, late]), []);
  t.same(compare([ready], [ready, late.replace('Ready/', 'Failed/')]).length, 1);
});

t.test('every allowed difference has a reason', async (t) => {
  for (const { why } of ALLOWED) t.match(why, /\w+ \w+ \w+/);
});
