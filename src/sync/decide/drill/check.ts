// What the Job of a drill found out, or why there is none: the result in words. No row of the data gets here.

import { type DrillReport, isDrillChild } from '../../../rds/drill-wish.ts';
import { type JobEnd, jobEnd } from '../../../rds/job-state.ts';
import { ANNOTATIONS } from '../../../rds/names.ts';
import type { ChildObject, Observed } from '../observed.ts';
import { PACE } from '../plan.ts';
import { judged, type Scene, type Step, wait } from './scene.ts';
import { wantedDrill } from './wanted.ts';

/** Pods that cannot start (image, quota) must not keep the throwaway. */
const CHECK_WITHIN_MS = 30 * 60_000;

const childOf = ({ o, name }: Scene, kind: 'Secret' | 'Job'): ChildObject | undefined =>
  o.children.find((child) => child.kind === kind && child.metadata.name === name && isDrillChild(child));

/** The Secret with the drawing that counts. */
export function findDrillSecret(scene: Scene): ChildObject | undefined {
  const secret = childOf(scene, 'Secret');
  return secret?.metadata.annotations?.[ANNOTATIONS.draw] === scene.run.draw.mark ? secret : undefined;
}

export function checked(scene: Scene): Step {
  const { o, run, at } = scene;
  const restored = `${run.source} was restored in ${restoreSeconds(scene)} s`;
  const unasked = whyUnasked(o);
  if (unasked !== undefined) return judged(scene, 'Passed', `${restored}. ${unasked}`);
  const job = childOf(scene, 'Job');
  const end = job && jobEnd(job);
  if (end && o.drillJobEnd?.name === scene.name) return fromJob(scene, restored, end, o.drillJobEnd.report);
  const since = run.builtAt ?? at;
  if (at - since > CHECK_WITHIN_MS)
    return judged(
      scene,
      'Failed',
      `${restored}, but the Job with the checks did not end within half an hour.`,
    );
  // Only this Secret has the password: without it nothing can be asked, and nothing is proven either way.
  if (!findDrillSecret(scene) && at - since > o.timing.settleMs)
    return judged(scene, 'Cancelled', `${restored}, but Secret ${scene.name} with its password was removed.`);
  return wait(PACE.waiting);
}

function whyUnasked(o: Observed): string | undefined {
  const count = wantedDrill(o)?.checks?.length ?? 0;
  const left = count > 0 ? `${count} checks were not run` : 'No connection was tried';
  if (o.spec.datastoretype === 'SQLServer')
    return `${left}: for SQL Server a drill proves that the restore completes.`;
  return o.jobImage === undefined ? `${left}: no image for Jobs is configured.` : undefined;
}

function restoreSeconds({ run }: Scene): number {
  return Math.round(((run.builtAt ?? 0) - (run.createClaimedAt ?? 0)) / 1_000);
}

function fromJob(scene: Scene, restored: string, end: JobEnd, said: DrillReport | undefined): Step {
  if (end.succeeded && said) {
    const checks = said.passed === 1 ? '1 check' : `${said.passed} checks`;
    return judged(scene, 'Passed', `${restored}; a client connected, and ${checks} passed.`);
  }
  const failed = (said?.failed ?? []).map(({ check, why }) => `check ${check}: ${why}`);
  const why = [...(said?.fatal === undefined ? [] : [said.fatal]), ...failed].join('; ');
  return judged(
    scene,
    'Failed',
    `${restored}, but ${why || end.because || 'the Job failed without a word'}.`,
  );
}
