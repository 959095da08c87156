import t from 'tap';
import { afterlivesOf, isToldThen } from './afterlife.ts';
import type { HookCall } from './recorder.ts';

const call = (at: number, uid: string, finalized = false): HookCall => ({
  at,
  hook: 'finalize',
  body: { parent: { apiVersion: '', kind: 'Rds', metadata: { name: 'shop', uid } } },
  code: 200,
  answer: { finalized },
});

t.test('what is asked and told after an Rds was finalized is not its history', async (t) => {
  const calls = [call(1, 'a'), call(2, 'a', true), call(3, 'b'), call(4, 'a', true), call(5, 'a')];
  const afterlives = afterlivesOf(calls);
  t.strictSame([...afterlives], [['a', 4]]);
  const table = [
    { reason: 'SyncError', uid: 'a', at: 4, want: true, because: 'it is gone and cannot be updated' },
    { reason: 'SyncError', uid: 'a', at: 3, want: false, because: 'an error before it counts' },
    { reason: 'SyncError', uid: 'b', at: 9, want: false, because: 'another Rds' },
    { reason: 'Deleting', uid: 'a', at: 9, want: false, because: 'only what such a call can say' },
  ];
  for (const { want, because, ...event } of table) t.equal(isToldThen(afterlives, event), want, because);
});
