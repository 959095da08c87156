// Rotation of logins as part of a living Rds: takes the steps that are due, and tells where each account stands.

import type { Instance } from '../../otc/cloud.ts';
import { isoTime } from '../../rds/conditions.ts';
import type { Journal } from '../../rds/journal.ts';
import { drawingName } from '../../rds/names.ts';
import { loginIn, nextSlot, ROOT_ACCOUNT, type Rotation } from '../../rds/rotation.ts';
import { accountLabel, loginOf, type SqlEngine } from '../../rds/sql-wish.ts';
import type { RdsStatus } from '../../rds/status.ts';
import type { Drawing } from '../children/user-secrets.ts';
import { cloudTime } from './cloud-time.ts';
import { mayAct } from './databases.ts';
import { OTHERS } from './databases-record.ts';
import { databasesWish, sqlEngine } from './databases-wish.ts';
import type { Observed } from './observed.ts';
import { PACE, type Verdict } from './plan.ts';
import { loginsOf, type Rotating, rotatingAccounts } from './rotating.ts';
import { type RotationStep, rotationStep, type Seen } from './rotation.ts';

export function rotate(
  o: Observed,
  journal: Journal,
  instance: Instance,
  told: Verdict,
): Verdict | undefined {
  const engine = sqlEngine(o);
  const { databases: plan } = told;
  if (!engine || !plan || mayAct(o, instance)) return undefined;
  const accounts = rotatingAccounts(o, engine);
  const forgotten = droppedAccounts(o, journal, plan.report, engine);
  if (accounts.length + forgotten.length === 0) return undefined;
  // What a Job has done counts once status tells it: the journal that moves on makes it a Job of the past.
  const seen = seenBy(o, journal, o.rds.status?.databases, engine);
  const steps = accounts.flatMap((one) => {
    const step = rotationStep(one, seen);
    return step ? [{ one, step }] : [];
  });
  const redraw = rootDrawing(o, journal, accounts, steps, seen);
  if (steps.length === 0 && forgotten.length === 0 && !redraw) return undefined;
  if (o.cloud.kind !== 'fresh') return { ...told, action: { kind: 'lookCloser' } };
  const kept = Object.entries(journal.rotations ?? {}).filter(([account]) => !forgotten.includes(account));
  const changed = steps.map(({ one, step }) => [one.account, step.rotation] as const);
  const rotations = Object.fromEntries([...kept, ...changed]);
  return {
    ...told,
    action: {
      kind: 'swapIfLive',
      journal: { ...journal, rotations, ...(redraw ? { draw: redraw } : {}) },
    },
    databases: { ...plan, draws: [...(plan.draws ?? []), ...steps.flatMap(drawingOf)] },
    ...(redraw ? { drawRoot: true } : {}),
    resyncAfterSeconds: PACE.soon,
  };
}

/** Users that were taken out of the spec and dropped on the server. */
function droppedAccounts(
  o: Observed,
  { rotations = {} }: Journal,
  report: RdsStatus['databases'],
  engine: SqlEngine,
): string[] {
  if (o.spec.removal !== 'Drop' || report?.job?.state !== 'Succeeded') return [];
  const known = new Set([
    ROOT_ACCOUNT,
    ...(report.users ?? []),
    ...(o.spec.users ?? []).map((user) => accountLabel(engine, user)),
  ]);
  return Object.keys(rotations).filter((account) => !known.has(account));
}

function drawingOf({ one, step }: { one: Rotating; step: RotationStep }): Drawing[] {
  const { spare, secretName } = one.kept;
  const name = drawingName(secretName, nextSlot(step.rotation.current));
  return step.draws && spare ? [{ name, account: one.account, ...spare }] : [];
}

function seenBy(o: Observed, journal: Journal, report: RdsStatus['databases'], engine: SqlEngine): Seen {
  const { key, base } = databasesWish(o, engine);
  const job = report?.job;
  const failed = (report?.failures ?? []).map(({ what }) => what);
  const { draw, password } = journal;
  return {
    at: cloudTime(o),
    settleMs: o.timing.settleMs,
    hourMs: o.timing.hourMs,
    grace: o.spec.rotationGrace,
    isApplied: job?.state === 'Succeeded' && job.base === base,
    isDone: (account) =>
      job?.key === key &&
      job.state !== 'Failed' &&
      ![`user ${account}`, loginOf(account), OTHERS].some((what) => failed.includes(what)),
    isRootReplaced: (since) =>
      draw !== undefined &&
      draw.at >= since &&
      password === `drawn/${draw.mark}` &&
      o.password.from === 'generated' &&
      o.password.mark === draw.mark,
  };
}

/** With the connection's login the password of root itself is replaced, which no client uses by then. */
function rootDrawing(
  o: Observed,
  { draw }: Journal,
  accounts: readonly Rotating[],
  steps: readonly { one: Rotating; step: RotationStep }[],
  { at, settleMs }: Seen,
): Journal['draw'] | undefined {
  const root = accounts.find(({ account }) => account === ROOT_ACCOUNT);
  const next = steps.find(({ one }) => one === root)?.step.rotation ?? root?.rotation;
  // A rotation that was given up leaves root with the clients.
  if (!next || next.current === 'root' || o.password.from !== 'generated') return undefined;
  const isDue = next.state === 'Closing' && (draw === undefined || draw.at < next.at);
  // A picture from the past may have brought an older password back into the Secret.
  const isLost = draw !== undefined && o.password.mark !== draw.mark && at >= draw.at + settleMs;
  return isDue || isLost ? { mark: o.draw().mark, at } : undefined;
}

/** A copy of the journal for people and for cheap looks. */
export function reportedLogins(o: Observed, rotations: Journal['rotations']): RdsStatus['logins'] {
  const entries = Object.entries(rotations ?? {});
  if (entries.length === 0) return undefined;
  return entries.map(([account, rotation]) => reported(o, account, rotation));
}

function reported(
  o: Observed,
  account: string,
  rotation: Rotation,
): NonNullable<RdsStatus['logins']>[number] {
  const logins = loginsOf(o, account);
  const { number, current, since, state, at, mark, origin, next, previous, endsAt } = rotation;
  return {
    user: account,
    login: loginIn(logins, current),
    since: isoTime(since),
    ...(previous === undefined ? {} : { previous: loginIn(logins, previous) }),
    ...(endsAt === undefined ? {} : { previousEndsAt: isoTime(endsAt) }),
    state,
    number,
    at: isoTime(at),
    ...(mark === undefined ? {} : { drawing: mark }),
    ...(origin === undefined ? {} : { origin }),
    ...(next === undefined ? {} : { next }),
  };
}
