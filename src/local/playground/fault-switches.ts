// The switches of the page: each stands for faults of the simulated cloud, or for the death of the replica.

import type { Fault, FaultEntry } from '../../simulator/faults.ts';
import type { Replica } from './replica.ts';
import type { Timeline } from './timeline.ts';

export type FaultDesk = { add(fault: Fault): FaultEntry; clear(): void; list(): FaultEntry[] };

const ALWAYS = 1_000_000_000;
const WRITES = ['POST', 'PUT', 'DELETE'];

type Switch = { label: string; text: string; faults: Fault[] };

const SWITCHES = {
  throttle: {
    label: 'Throttling',
    text: 'Every second call is answered 429 with Retry-After.',
    faults: [{ kind: '429', match: { service: 'rds' }, seed: 7, probability: 0.5, retryAfterSeconds: 1 }],
  },
  outage: {
    label: 'Outage',
    text: 'The cloud answers 503 to everything.',
    faults: [{ kind: '503' }],
  },
  lostAnswer: {
    label: 'Lost answers',
    text: 'Every write takes effect, and its answer gets lost.',
    faults: WRITES.map((method) => ({ kind: '500-after', match: { service: 'rds', method } })),
  },
  failedBackup: {
    label: 'Failing backups',
    text: 'Each backup ends as FAILED.',
    faults: [{ kind: 'failed-backup' }],
  },
  killedReplica: {
    label: 'Killed replica',
    text: 'The hook dies in the middle of its calls. Off: a new one starts, knowing nothing.',
    faults: [],
  },
} as const satisfies Record<string, Switch & { faults: readonly Fault[] }>;

export type SwitchName = keyof typeof SWITCHES;
export const SWITCH_NAMES = Object.keys(SWITCHES) as SwitchName[];

export type FaultSwitches = {
  set(name: SwitchName, on: boolean): Promise<void>;
  list(): { name: SwitchName; label: string; text: string; on: boolean }[];
};

export function createFaultSwitches(desk: FaultDesk, replica: Replica, timeline: Timeline): FaultSwitches {
  const on = new Set<SwitchName>();
  let ours = new Set<number>();

  /** The desk can only be emptied: what somebody else ordered goes back onto it. */
  function lay(): void {
    const foreign = desk.list().filter(({ id, fired, times }) => !ours.has(id) && fired < times);
    desk.clear();
    for (const { fired, times, ...fault } of foreign) desk.add({ ...fault, times: times - fired });
    const faults = [...on].flatMap((name): readonly Fault[] => SWITCHES[name].faults);
    ours = new Set(faults.map((fault) => desk.add({ ...fault, times: ALWAYS }).id));
  }

  return {
    async set(name, wanted) {
      if (on.has(name) === wanted) return;
      if (wanted) on.add(name);
      else on.delete(name);
      const { label, text } = SWITCHES[name];
      timeline.addToAll({
        kind: 'fault',
        tone: wanted ? 'warn' : 'plain',
        title: `${label}: ${wanted ? 'on' : 'off'}`,
        text: wanted ? text : 'The trouble is over.',
      });
      if (name === 'killedReplica') await (wanted ? replica.kill() : replica.revive());
      else lay();
    },
    list: () =>
      SWITCH_NAMES.map((name) => {
        const { label, text } = SWITCHES[name];
        return { name, label, text, on: on.has(name) };
      }),
  };
}
