// A database that lives on: changed, let go, and copied from a backup.
import { backup, READY, rds, type Scenario } from '../scenario.ts';

const DAY_TWO = {
  port: '3310',
  backupkeepdays: 20,
  tags: { team: 'a' },
  parameters: { wait_timeout: '600', no_such_parameter: '1' },
};

export const dayTwo: Scenario[] = [
  {
    name: 'day-two',
    title: 'changes are carried out one by one, and what cannot be is told by name',
    given: [rds('shop')],
    steps: [
      { do: 'waitRds', name: 'shop', until: READY },
      { do: 'apply', objects: [rds('shop', DAY_TWO)] },
      {
        do: 'waitRds',
        name: 'shop',
        until: { phase: 'Ready', generation: 2, conditions: ['Synced=False/ImpossibleChange'] },
      },
      { do: 'apply', objects: [rds('shop', { ...DAY_TWO, parameters: { wait_timeout: '600' } })] },
      {
        do: 'waitRds',
        name: 'shop',
        until: { phase: 'Ready', generation: 3, conditions: ['Synced=True/UpToDate'] },
      },
    ],
    cloud: { shop: { created: 1, now: 1, restarts: 0, tagged: true } },
  },
  {
    name: 'autopilot',
    title: 'an alarm becomes a larger disk, the spec stays, and no alarm outlives the Rds',
    given: [rds('shop', { autopilot: { mode: 'Act', storage: { maxGb: 60 } }, deletionPolicy: 'Delete' })],
    steps: [
      { do: 'waitRds', name: 'shop', until: { ...READY, conditions: ['AutopilotReady=True/Watching'] } },
      { do: 'fillDisk', name: 'shop', percent: 93 },
      { do: 'annotate', name: 'shop', annotations: { 'otc.mcsps.de/alarm': 'message-1' } },
      { do: 'waitRds', name: 'shop', until: { phase: 'Ready', generation: 1, volumeGb: 50 } },
      {
        do: 'waitRds',
        name: 'shop',
        until: {
          handled: { 'otc.mcsps.de/alarm': 'message-1' },
          conditions: ['AutopilotReady=True/Watching'],
        },
      },
      { do: 'waitEvent', type: 'Normal', reason: 'Scaled', message: 'disk 40 -> 50 GB' },
      { do: 'delete', kind: 'Rds', name: 'shop' },
      { do: 'waitGone', kind: 'Rds', name: 'shop' },
    ],
    cloud: { shop: { created: 1, now: 0, restarts: 0 } },
  },
  {
    name: 'released',
    title: 'an instance that was let go stays, also when its Rds goes',
    given: [rds('shop')],
    steps: [
      { do: 'waitRds', name: 'shop', until: READY },
      { do: 'annotate', name: 'shop', annotations: { 'otc.mcsps.de/release': 'true' } },
      { do: 'waitRds', name: 'shop', until: { phase: 'Released', id: 'unset' } },
      { do: 'expectCloud', rds: { shop: { created: 1, now: 1, tagged: false } } },
      { do: 'delete', kind: 'Rds', name: 'shop' },
      { do: 'waitGone', kind: 'Rds', name: 'shop' },
      { do: 'waitGone', kind: 'Secret', name: 'shop-root' },
    ],
    cloud: { shop: { created: 1, now: 1, tagged: false, finalBackups: 0 } },
  },
  {
    name: 'restored',
    title: 'a new Rds is made from an RdsBackup, once it is complete',
    given: [rds('copy', { restoreFrom: { backup: 'monday' } })],
    steps: [
      {
        do: 'waitRds',
        name: 'copy',
        until: { phase: 'Pending', conditions: ['Ready=False/RestoreSourceMissing'] },
      },
      { do: 'apply', objects: [rds('shop')] },
      { do: 'waitRds', name: 'shop', until: READY },
      { do: 'apply', objects: [backup('monday', { rds: 'shop' })] },
      { do: 'waitBackup', name: 'monday', phase: 'Completed' },
      { do: 'waitRds', name: 'copy', until: READY },
    ],
    cloud: { shop: { created: 1, now: 1 }, copy: { created: 1, now: 1 } },
  },
];
