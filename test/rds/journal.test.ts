import fc from 'fast-check';
import t from 'tap';
import {
  ABSENCE_READS,
  absenceCountsFrom,
  absenceProven,
  accepted,
  claim,
  countAbsence,
  type Journal,
  minimumSettleSeconds,
  refused,
  settleSeconds,
  type Timing,
  withoutAbsence,
} from '../../src/rds/journal.ts';

const SECOND = 1_000;
const T0 = Date.parse('2026-11-16T08:00:00Z');
const timing: Timing = { settleMs: 300 * SECOND, absenceGapMs: 30 * SECOND };
const DEFAULT_BOUNDS = { lateEffectSeconds: 60, listLagSeconds: 120 };

const create = (at: number) => ({ kind: 'create' as const, key: 'team-a_shop_4bc725aba311', at });
const restart = (at: number) => ({ kind: 'restart' as const, key: 'monday', at });

/** Counts the reads that are not too early; a refused one leaves the journal as it was. */
function afterEmptyReads(journal: Journal, times: number[]): Journal {
  return times.reduce((held, at) => countAbsence(held, at, timing) ?? held, journal);
}

const isProven = (journal: Journal, at: number) => absenceProven(journal, at, timing);

t.test('the settle time is the one of the protocol', async (t) => {
  t.equal(settleSeconds(DEFAULT_BOUNDS), 300, 'the default of the design');
  t.equal(minimumSettleSeconds(DEFAULT_BOUNDS), 220, '20 + 12 + 8 + 60 + 120');
  t.equal(minimumSettleSeconds({ lateEffectSeconds: 0, listLagSeconds: 0 }), 40, 'our own part stays');
});

const bounds = fc.record({
  lateEffectSeconds: fc.oneof(fc.nat(86_400), fc.double({ min: 0, max: 86_400, noNaN: true })),
  listLagSeconds: fc.oneof(fc.nat(86_400), fc.double({ min: 0, max: 86_400, noNaN: true })),
});

t.test('the settle time is more than its minimum wherever the cloud has any lag at all', async () => {
  fc.assert(
    fc.property(bounds, (given) => {
      fc.pre(given.lateEffectSeconds + given.listLagSeconds > 0.001);
      return settleSeconds(given) > minimumSettleSeconds(given);
    }),
  );
});

t.test('the settle time is more than its minimum for a cloud without lag, too', async (t) => {
  const none = { lateEffectSeconds: 0, listLagSeconds: 0 };
  t.ok(settleSeconds(none) > minimumSettleSeconds(none));
});

t.test('a worse cloud never has a shorter settle time', async () => {
  fc.assert(
    fc.property(bounds, fc.nat(1_000), (given, more) => {
      const later = { ...given, lateEffectSeconds: given.lateEffectSeconds + more };
      return settleSeconds(later) >= settleSeconds(given);
    }),
  );
});

t.test('a claim is numbered on and dated by the cloud', async (t) => {
  const first = claim({}, create(T0));
  t.same(first.op, { ...create(T0), seq: 1 });
  t.equal(first.createClaimedAt, T0, 'C3: the settle time runs from here');
  const again = claim(first, create(T0 + 400 * SECOND));
  t.equal(again.op?.seq, 2, 'C3: an unknown outcome is followed by seq + 1');
  t.equal(again.createClaimedAt, T0 + 400 * SECOND, 'the last claim counts');
  const done = accepted(again, { id: 'i-1', jobId: 'j-1' });
  const next = claim(done, restart(T0 + 900 * SECOND));
  t.equal(next.op?.seq, 3, 'numbers go on over kinds');
  t.equal(next.createClaimedAt, T0 + 400 * SECOND, 'only a create moves the time of the last create');
});

t.test('a claim starts the count of empty reads over', async (t) => {
  const counted = afterEmptyReads({}, [T0, T0 + 30 * SECOND, T0 + 60 * SECOND]);
  t.ok(isProven(counted, T0 + 60 * SECOND));
  t.notOk(isProven(claim(counted, create(T0 + 61 * SECOND)), T0 + 61 * SECOND));
});

t.test('a claim changes nothing in the journal it was made from', async (t) => {
  const before: Journal = Object.freeze({ id: 'i-1', absence: Object.freeze({ count: 2, at: T0 }) });
  claim(before, restart(T0));
  accepted(before, { id: 'i-2' });
  refused(before);
  countAbsence(before, T0 + 60 * SECOND, timing);
  t.same(before, { id: 'i-1', absence: { count: 2, at: T0 } });
});

t.test('an accepted claim is recorded with what the cloud told', async (t) => {
  const claimed = claim({ draw: { mark: 'm', at: T0 } }, create(T0));
  const done = accepted(claimed, { id: 'i-1', jobId: 'j-1' });
  t.same(done, {
    draw: { mark: 'm', at: T0 },
    createClaimedAt: T0,
    id: 'i-1',
    last: { ...create(T0), seq: 1, jobId: 'j-1' },
  });
  t.notOk('op' in done, 'nothing is open any more');
  t.same(accepted(claim(done, restart(T0)), {}).id, 'i-1', 'C5: an id is never taken back');
  t.same(accepted({ id: 'i-1' }, { id: 'i-2' }), { id: 'i-1' }, 'without a claim there is nothing to accept');
});

t.test('a definite refusal frees the claim at once', async (t) => {
  t.same(refused(claim({}, create(T0))), {}, 'C3: no create is on its way, so nothing needs to settle');
  const made = accepted(claim({}, create(T0)), { id: 'i-1' });
  t.same(refused(claim(made, restart(T0 + SECOND))), made, 'a refused restart says nothing about the create');
  t.equal(refused(made).createClaimedAt, T0, 'an accepted create may still hide from the list');
});

t.test('absence needs three empty reads, each 30 s after the one before', async (t) => {
  const table = [
    { given: [0], want: false, because: 'one read' },
    { given: [0, 30], want: false, because: 'two reads' },
    { given: [0, 30, 60], want: true, because: 'three reads far enough apart' },
    { given: [0, 29, 58], want: false, because: '29 s are too close, and 58 is only the second' },
    { given: [0, 10, 20, 30, 40, 50, 60], want: true, because: 'reads in between neither count nor hurt' },
    { given: [0, 0, 0, 0], want: false, because: 'one moment is one read' },
    { given: [60, 30, 0], want: false, because: 'a clock that goes back proves nothing' },
    { given: [0, 30, 30 + 600], want: true, because: 'ten minutes are still one observation' },
    { given: [0, 30, 30 + 601], want: false, because: 'a long pause starts over' },
    { given: [0, 30, 1_000, 1_030, 1_060], want: true, because: 'and the count may go on from there' },
    { given: [0, 30, 1_000, 1_030], want: false, because: 'what was before the pause is forgotten' },
  ];
  t.equal(ABSENCE_READS, 3);
  for (const { given, want, because } of table) {
    const reads = given.map((seconds) => T0 + seconds * SECOND);
    t.equal(
      isProven(afterEmptyReads({ id: 'i-1' }, reads), Math.max(...reads)),
      want,
      `${given}: ${because}`,
    );
  }
});

t.test('no empty read counts before the last create claim has settled', async (t) => {
  const claimed = claim({}, create(T0));
  const settled = T0 + 300 * SECOND;
  t.equal(absenceCountsFrom(claimed, timing), settled);
  t.equal(countAbsence(claimed, settled - 1, timing), undefined, 'one millisecond too early');
  t.same(countAbsence(claimed, settled, timing)?.absence, { count: 1, at: settled });
  t.equal(
    absenceCountsFrom(accepted(claimed, { id: 'i-1' }), timing),
    settled,
    'C4: of a known id, too: the list may lag behind the create',
  );
  const proven = afterEmptyReads(claimed, [settled, settled + 30 * SECOND, settled + 60 * SECOND]);
  t.ok(isProven(proven, settled + 60 * SECOND));
});

t.test('a proof of absence grows old', async (t) => {
  const proven = afterEmptyReads({ id: 'i-1' }, [T0, T0 + 30 * SECOND, T0 + 60 * SECOND]);
  t.equal(isProven(proven, T0 + 660 * SECOND), true, 'ten minutes later it still stands');
  t.equal(isProven(proven, T0 + 661 * SECOND), false, 'later it must be seen again');
  t.equal(isProven({}, T0), false, 'nothing is no proof');
});

t.test('one hit starts over', async (t) => {
  const twice = afterEmptyReads({ id: 'i-1' }, [T0, T0 + 30 * SECOND]);
  const seen = withoutAbsence(twice);
  t.same(seen, { id: 'i-1' });
  t.notOk(isProven(afterEmptyReads(seen, [T0 + 60 * SECOND]), T0 + 60 * SECOND));
});

t.test(
  'absence is never proven earlier than the settle time and two gaps after the last create',
  async () => {
    fc.assert(
      fc.property(fc.array(fc.nat(900), { maxLength: 40 }), (offsets) => {
        let held = claim({}, create(T0));
        for (const offset of offsets) {
          const at = T0 + offset * SECOND;
          const counted = countAbsence(held, at, timing);
          if (counted && isProven(counted, at) && at < T0 + timing.settleMs + 2 * timing.absenceGapMs)
            return false;
          held = counted ?? held;
        }
        return true;
      }),
    );
  },
);
