// What a fleet at rest costs the cloud's API: calls per sync, logins a day, calls per life.

import { HOUR, MINUTE, SECOND } from '../../test/support/world.ts';
import { digits, type Figure, type Line, type Setting } from '../figure.ts';
import type { FleetKind } from '../settled-fleet.ts';
import { lifeCost, type Step } from './life.ts';
import { difference, PACE_MS, restedHook, sum } from './rested-hook.ts';

type Sample = { count: number; windowMs: number } & FleetKind;

/** With the autopilot; the full run at the size of the target. */
const WATCHED = { tiny: 3, quick: 100, full: 1_000 };

const SCALES: Record<Setting['scale'], { samples: Sample[]; dayMs: number; restarted: number }> = {
  tiny: { samples: [{ count: 3, windowMs: 2 * MINUTE }], dayMs: 10 * MINUTE, restarted: 3 },
  quick: {
    samples: [
      { count: 10, windowMs: 5 * MINUTE },
      { count: 100, windowMs: 2 * MINUTE },
      { count: 1_000, windowMs: 65 * SECOND },
    ],
    dayMs: 25 * HOUR,
    restarted: 150,
  },
  full: {
    samples: [
      { count: 10, windowMs: HOUR },
      { count: 100, windowMs: 20 * MINUTE },
      { count: 1_000, windowMs: 4 * MINUTE },
      { count: 5_000, windowMs: 65 * SECOND },
    ],
    dayMs: 49 * HOUR,
    restarted: 1_000,
  },
};

/** How long a list of backups, and the trend of a disk, count; each window here is shorter, so their share is added. */
const RARELY_MS = 6 * HOUR;
const TARGET = { count: 1_000, perSync: 0.02, watched: 0.05 };

export async function cloudCost({ scale }: Setting): Promise<Figure> {
  const { samples, dayMs, restarted } = SCALES[scale];
  const lines: Line[] = [];
  const points: { x: number; y: number }[] = [];
  for (const sample of samples) {
    const perSync = await callsPerSync(sample);
    points.push({ x: sample.count, y: perSync });
    lines.push({
      what: `calls per sync, ${sample.count} Rds`,
      value: digits(perSync, 4),
      ...(sample.count === TARGET.count
        ? { target: `<= ${TARGET.perSync}`, isMet: perSync <= TARGET.perSync }
        : {}),
    });
  }
  const watched = await callsPerSync({ count: WATCHED[scale], windowMs: 3 * PACE_MS, autopilot: true });
  lines.push({
    what: `calls per sync, ${WATCHED[scale]} Rds with autopilot`,
    value: digits(watched, 4),
    ...(WATCHED[scale] === TARGET.count
      ? { target: `<= ${TARGET.watched}`, isMet: watched <= TARGET.watched }
      : {}),
  });
  lines.push(await logins(dayMs), await afterRestart(restarted));
  const steps = await lifeCost({ instant: true });
  lines.push(
    lifeLine('instant operations', steps),
    lifeLine('6 min to build, 2 min to back up', await lifeCost({ instant: false })),
  );
  return {
    title: 'Cloud cost',
    lines,
    plots: [
      {
        name: 'bench-cloud-cost',
        title: 'Calls to the cloud per sync of a fleet at rest',
        x: 'Rds',
        y: 'calls per sync',
        logX: true,
        series: [{ name: 'calls per sync', points }],
        limit: { y: TARGET.perSync, name: 'target at 1,000' },
      },
    ],
    notes: [
      'Calls per sync hold what is read of each instance once in 6 h: its backups, and with the autopilot the trend of its disk.',
      ...steps
        .filter(({ calls, least: needed }) => calls !== needed)
        .map(
          ({ route, calls, least: needed, because }) =>
            `Life with instant operations: ${route}: ${calls}, least ${needed} (${because}).`,
        ),
    ],
  };
}

function lifeLine(how: string, steps: Step[]): Line {
  const made = steps.reduce((total, { calls }) => total + calls, 0);
  const least = steps.reduce((total, step) => total + step.least, 0);
  const value = `${made} / ${least} = ${digits(made / least, 1)}`;
  return { what: `calls per life (create, final backup, delete) / least possible; ${how}`, value };
}

async function callsPerSync({ count, windowMs, autopilot = false }: Sample): Promise<number> {
  const hook = await restedHook(count, { gapMs: PACE_MS / count, autopilot });
  await hook.run(PACE_MS + 10 * SECOND);
  const before = hook.calls();
  const { syncs, blind } = await hook.run(windowMs);
  const calls = difference(hook.calls(), before);
  await hook.world.stop();
  if (blind > 0) throw new Error(`${blind} of ${syncs} syncs are not at rest`);
  const rareReads = ((autopilot ? 2 : 1) * count * windowMs) / RARELY_MS;
  return (sum(calls) + rareReads) / syncs;
}

async function logins(dayMs: number): Promise<Line> {
  const hook = await restedHook(1, { gapMs: 0 });
  await hook.run(dayMs);
  const count = hook.calls()['iam POST /v3/auth/tokens'] ?? 0;
  const backups = hook.calls()['rds GET /v3/{project}/backups'] ?? 0;
  await hook.world.stop();
  const hours = dayMs / HOUR;
  return {
    what: `logins (reads of backups of one Rds) in ${digits(hours, 0)} h`,
    value: `${count} (${backups})`,
  };
}

/** Every list of backups has to be read anew, at the pace of the rate limit. */
async function afterRestart(count: number): Promise<Line> {
  const hook = await restedHook(count, { gapMs: 0, isNew: true });
  const { syncs, blind } = await hook.run(2 * MINUTE);
  await hook.world.stop();
  return {
    what: `syncs that could not ask the cloud, first 2 min of a replica, ${count} Rds at once`,
    value: `${blind} of ${syncs}`,
  };
}
