// What we tell about an Rds. Status is a report for people and other controllers, never the memory that
// safety rests on (that is the journal). No field may change from call to call without a cause.

import type { Static } from 'typebox';
import { ROTATION_STATES } from './rotation.ts';
import { flag, group, int, listOf, oneOf, optional, text, textMap } from './schema-kit.ts';

export const PHASES = [
  'Pending',
  'Creating',
  'Ready',
  'Changing',
  'Restoring',
  'Stopped',
  'Paused',
  'Released',
  'Deleting',
  'Failed',
] as const;

export const ConditionSchema = group('One aspect of the state.', {
  type: text('Aspect.', { maxLength: 64 }),
  status: oneOf(['True', 'False', 'Unknown'], 'Whether it holds.'),
  reason: text('Why, as a word; all are listed in docs/conditions.md.', { maxLength: 64 }),
  message: text('Why, as a sentence that a person can act on.', { maxLength: 4096 }),
  lastTransitionTime: text('When status changed last.', { format: 'date-time' }),
  observedGeneration: optional(int('Generation of the spec that this speaks of.', { format: 'int64' })),
});

export const IMPACTS = ['none', 'reload', 'disconnect', 'restart', 'newServer', 'impossible'] as const;

const plannedChange = group('A difference between spec and cloud, and what becomes of it.', {
  field: text('Field of the spec.', { maxLength: 128 }),
  from: text('Present value.', { maxLength: 256 }),
  to: text('Wanted value.', { maxLength: 256 }),
  impact: oneOf(IMPACTS, 'What clients of the database will notice.'),
  when: text('When it runs, or why it does not.', { maxLength: 1024 }),
});

const drillReport = group('Restore drills.', {
  schedule: text('What spec.backup.drill.schedule said.', { maxLength: 64 }),
  nextAt: optional(text('When the next one is due.', { format: 'date-time' })),
  running: optional(
    group('The one under way.', {
      name: text('Name of the throwaway instance, and of its Job.', { maxLength: 64 }),
      id: optional(text('Its id.', { maxLength: 64 })),
      startedAt: text('Since when.', { format: 'date-time' }),
      step: oneOf(['Preparing', 'Restoring', 'Checking', 'Removing'], 'How far it is.'),
      message: optional(text('What holds it up.', { maxLength: 1024 })),
    }),
  ),
  last: optional(
    group('The last one that came to a result.', {
      scheduledFor: text('Its time in the schedule.', { format: 'date-time' }),
      startedAt: text('When it began.', { format: 'date-time' }),
      endedAt: text('When its result was known.', { format: 'date-time' }),
      seconds: int('How long that took.', { format: 'int64' }),
      restoreSeconds: optional(int('How long the restore took of it.', { format: 'int64' })),
      result: oneOf(['Passed', 'Failed'], 'Whether the data came back and the checks passed.'),
      source: optional(text('What was restored.', { maxLength: 256 })),
      message: text('The result as a sentence.', { maxLength: 2048 }),
    }),
  ),
});

const backupReport = group('What is known about backups.', {
  drill: optional(drillReport),
  beforeRestore: optional(
    group('The state before the last restore in place.', {
      id: text('Backup id.', { maxLength: 64 }),
      name: text('Backup name.', { maxLength: 64 }),
      restoreFrom: text('What to write into spec.restoreFrom of a new Rds to get it back.', {
        maxLength: 512,
      }),
    }),
  ),
  lastAutomated: optional(
    group('The newest backup that the cloud made by itself, as of some hours ago at most.', {
      id: text('Backup id.', { maxLength: 64 }),
      status: text('State of the backup.', { maxLength: 32 }),
      beginTime: text('When it began.', { format: 'date-time' }),
      endTime: optional(text('When it ended.', { format: 'date-time' })),
      sizeKb: optional(int('Size.', { format: 'int64' })),
    }),
  ),
  finalBackup: optional(
    group('The backup made before the delete.', {
      id: text('Backup id.', { maxLength: 64 }),
      name: text('Backup name.', { maxLength: 64 }),
      status: text('State of the backup.', { maxLength: 32 }),
      restoreFrom: optional(
        text('What to write into spec.restoreFrom to get the data back.', { maxLength: 512 }),
      ),
    }),
  ),
});

const logResult = (log: string) =>
  optional(
    group(`What the container for the ${log} log printed.`, {
      lines: optional(int('Lines.')),
      exitCode: optional(int('Exit code of the container.')),
      note: optional(text('What a reader must know.', { maxLength: 1024 })),
    }),
  );

export const RdsStatusSchema = group('The present state, as far as known.', {
  observedGeneration: optional(int('Generation that the last hook call was about.', { format: 'int64' })),
  id: optional(text('Instance id in the cloud.', { maxLength: 64 })),
  ip: optional(text('Address of the instance in its subnet.', { maxLength: 64 })),
  status: optional(text('State of the instance as the cloud spells it.', { maxLength: 64 })),
  autopilot: optional(flag('Whether the autopilot is on.')),
  logs: optional(flag('Write true to order a log Job (old style; prefer the annotation).')),
  reboot: optional(flag('Write true to order a restart (old style; prefer the annotation).')),
  phase: optional(oneOf(PHASES, 'One word for people; programs read conditions.')),
  conditions: optional(
    listOf(ConditionSchema, {
      maxItems: 32,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    }),
  ),
  port: optional(int('Port of the instance.')),
  engineVersion: optional(text('Full version of the engine.', { maxLength: 32 })),
  flavor: optional(text('Present machine type.', { maxLength: 64 })),
  volumeGb: optional(int('Present size of the disk.')),
  instanceName: optional(text('Name of the instance in the cloud.', { maxLength: 64 })),
  binding: optional(
    group('Service Binding: the Secret with the connection.', {
      name: text('Name of the Secret.', { maxLength: 253 }),
    }),
  ),
  plan: optional(listOf(plannedChange, { description: 'Pending changes.', maxItems: 64 })),
  planHash: optional(text('Consent to the plan names this hash.', { maxLength: 16 })),
  pendingRestart: optional(
    listOf(text('Parameter.', { maxLength: 128 }), {
      description: 'Parameters that take effect with the next restart.',
      maxItems: 128,
    }),
  ),
  managedTags: optional(
    listOf(text('Key.', { maxLength: 64 }), { description: 'Tags that came from the spec.', maxItems: 20 }),
  ),
  startsAt: optional(text('When the cloud starts the stopped instance by itself.', { format: 'date-time' })),
  logJob: optional(
    group('The last order for logs.', {
      name: optional(text('Name of the Job; its pod has the lines.', { maxLength: 63 })),
      state: oneOf(['Waiting', 'Running', 'Succeeded', 'Failed', 'Refused'], 'What became of it.'),
      from: text('Begin of the span.', { format: 'date-time' }),
      to: text('End of the span.', { format: 'date-time' }),
      errorlog: logResult('error'),
      slowlog: logResult('slow'),
      message: optional(text('Why it failed, or what a reader must know.', { maxLength: 4096 })),
    }),
  ),
  operation: optional(
    group('The operation under way in the cloud.', {
      kind: text('What runs.', { maxLength: 32 }),
      startedAt: text('Since when, by the clock of the cloud.', { format: 'date-time' }),
      jobId: optional(text('Job of the cloud.', { maxLength: 64 })),
    }),
  ),
  scaling: optional(
    group('What the autopilot decided.', {
      volumeGb: optional(int('Wanted size of the disk.')),
      flavor: optional(text('Wanted machine type.', { maxLength: 64 })),
      over: optional(
        group(
          'What the spec said when that was decided; a spec that says something else is newer, and wins.',
          {
            volumeGb: optional(int('spec.volumesize.')),
            flavor: optional(text('spec.flavorref.', { maxLength: 64 })),
          },
        ),
      ),
      history: optional(
        listOf(
          group('A decision.', {
            at: text('When.', { format: 'date-time' }),
            what: text('What was changed.', { maxLength: 128 }),
            because: text('The metric that caused it.', { maxLength: 256 }),
          }),
          { maxItems: 10 },
        ),
      ),
    }),
  ),
  backup: optional(backupReport),
  restoredTo: optional(text('Point in time the instance was last restored to.', { maxLength: 40 })),
  handled: optional(textMap('Orders that were carried out: annotation -> value.', 16)),
  alarms: optional(listOf(text('Alarm id.', { maxLength: 64 }), { maxItems: 8 })),
  credentials: optional(text('Which credentials are in use.', { maxLength: 253 })),
  databases: optional(
    group('Databases and users as of the last SQL Job.', {
      databases: optional(listOf(text('Database.', { maxLength: 64 }), { maxItems: 256 })),
      users: optional(listOf(text('User; with its host on MySQL.', { maxLength: 320 }), { maxItems: 256 })),
      job: optional(
        group('The last Job that ended.', {
          name: text('Name of the Job.', { maxLength: 63 }),
          key: text('What was wished for, as a hash.', { maxLength: 32 }),
          base: optional(text('The same without rotations.', { maxLength: 32 })),
          attempt: int('How often this wish was tried.'),
          state: oneOf(['Succeeded', 'Refused', 'Failed'], 'Refused: it worked, and some were refused.'),
          endedAt: text('When it ended.', { format: 'date-time' }),
          retryAt: optional(text('When the same wish is tried again.', { format: 'date-time' })),
        }),
      ),
      failures: optional(
        listOf(
          group('Something that could not be made.', {
            what: text('Which one.', { maxLength: 512 }),
            why: text('Why.', { maxLength: 512 }),
          }),
          { maxItems: 40 },
        ),
      ),
    }),
  ),
  logins: optional(
    listOf(
      group('An account whose logins take turns.', {
        user: text('The account; (root) for the connection Secret.', { maxLength: 320 }),
        login: text('The login that its Secret publishes.', { maxLength: 128 }),
        since: text('Since when.', { format: 'date-time' }),
        previous: optional(text('The login before it.', { maxLength: 128 })),
        previousEndsAt: optional(text('When that one is closed.', { format: 'date-time' })),
        state: oneOf(ROTATION_STATES, 'Where the rotation stands.'),
        number: int('How many rotations were begun.'),
        at: text('Since when it stands there.', { format: 'date-time' }),
        drawing: optional(text('Which drawing of the password is published.', { maxLength: 64 })),
        origin: optional(text('Which drawing was published before the first rotation.', { maxLength: 64 })),
        next: optional(text('Which drawing is being made to work.', { maxLength: 64 })),
      }),
      { description: 'Rotation of logins.', maxItems: 257 },
    ),
  ),
  replicas: optional(
    listOf(
      group('A read replica.', {
        name: text('Name.', { maxLength: 32 }),
        id: optional(text('Instance id.', { maxLength: 64 })),
        status: optional(text('State.', { maxLength: 64 })),
        ip: optional(text('Address.', { maxLength: 64 })),
      }),
      { maxItems: 10 },
    ),
  ),
});

export type RdsStatus = Static<typeof RdsStatusSchema>;
export type Condition = Static<typeof ConditionSchema>;
export type PlannedChange = Static<typeof plannedChange>;
export type Phase = (typeof PHASES)[number];
