// What no answer of the hook may ever do, whatever the scenario: looked for in every recorded call.
import { PART } from '../../src/rds/job-state.ts';
import type { RdsObject } from './history.ts';
import type { HookCall } from './recorder.ts';

const nameOf = ({ body }: HookCall): string =>
  `${body.parent.metadata.namespace}/${body.parent.metadata.name}`;

const statusOf = (call: HookCall): NonNullable<RdsObject['status']> =>
  (call.body.parent as RdsObject).status ?? {};

const childrenOf = ({ body }: HookCall): string[] =>
  Object.entries(body.children ?? {}).flatMap(([kind, byName]) =>
    Object.values(byName)
      // Jobs, what they need and the Secrets of users come and go.
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined && !metadata.labels?.[PART])
      .map(({ metadata }) => `${kind.split('.')[0]} ${metadata.name}`),
  );

type Invariant = { told: string; isBroken: (call: HookCall) => boolean };

const INVARIANTS: readonly Invariant[] = [
  {
    told: 'an id that was shown is missing in the answer',
    // An instance that was let go on purpose is forgotten.
    isBroken: (call) =>
      statusOf(call).id !== undefined &&
      call.answer?.status?.id !== statusOf(call).id &&
      call.answer?.status?.phase !== 'Released',
  },
  {
    told: 'a Ready Rds is told to be Creating',
    isBroken: (call) => statusOf(call).phase === 'Ready' && call.answer?.status?.phase === 'Creating',
  },
  {
    told: 'a database that has its Service is told to be Creating',
    isBroken: (call) =>
      call.answer?.status?.phase === 'Creating' &&
      Object.values(call.body.children?.['EndpointSlice.discovery.k8s.io/v1'] ?? {}).length > 0,
  },
  {
    told: 'a child that was shown is missing in the answer',
    isBroken: (call) => {
      const kept = (call.answer?.children ?? []).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      return childrenOf(call).some((child) => !kept.includes(child));
    },
  },
  {
    told: 'an order in status is answered with true',
    isBroken: ({ answer }) => answer?.status?.logs === true || answer?.status?.reboot === true,
  },
];

export function brokenInvariants(calls: readonly HookCall[]): string[] {
  return calls
    .filter(({ hook, answer, tampered }) => hook !== 'customize' && answer && tampered !== 'stale')
    .flatMap((call) =>
      INVARIANTS.filter(({ isBroken }) => isBroken(call)).map(({ told }) => `${nameOf(call)}: ${told}`),
    );
}
