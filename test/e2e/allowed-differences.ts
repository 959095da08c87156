// Differences between the two engines that are no fault of either, each with the reason. Anything else fails.
import { type Difference, stageOf } from './compare.ts';

export type Allowed = { why: string; allows: (difference: Difference) => boolean };

const isCall = ({ subject }: Difference): boolean => subject.startsWith('calls ');
const isRds = ({ subject }: Difference): boolean => subject.startsWith('Rds ');

const halves = (line: string): [shown: string, answered: string] => {
  const [shown = '', answered = ''] = line.split(' -> ');
  return [shown, answered];
};

const hookOf = (line: string): string => line.split(' ', 1)[0] ?? '';

/** The line without what the children have to say. */
const withoutChildren = (line: string): string =>
  line.replaceAll(/ \[[^\]]*\]/g, '').replaceAll(/ CredentialsSafe=\S+/g, '');

const DISTURBED = ['replica-killed', 'hook-down', 'loop-restarted', 'edited-controller', 'rdsbackup-lost'];

const BRIEFLY_BUSY = ['restart-once', 'day-two', 'rdsbackup', 'rdsbackup-lost', 'restored'];

const PASSING = ['Busy', 'Changing', 'Restarting', 'ProvingAbsence'].map(
  (reason) => `Normal ${reason} from rds-pilot`,
);

export const ALLOWED: readonly Allowed[] = [
  {
    why: 'caches lag by chance: the same hook gave the same answer to a picture of another age',
    allows: (difference) =>
      isCall(difference) &&
      difference.kind !== 'order' &&
      difference.other.some(
        (each) => hookOf(each) === hookOf(difference.line) && halves(each)[1] === halves(difference.line)[1],
      ),
  },
  {
    why: 'which calls are under way when a process dies or the controller is edited is chance',
    allows: (difference) =>
      isCall(difference) && DISTURBED.includes(difference.scenario) && difference.line.endsWith(' -> 0'),
  },
  {
    why: 'a call that comes while the cut one is still creating finds its claim open, by chance',
    allows: ({ scenario, line }) => DISTURBED.includes(scenario) && line.includes('CreateOutcomeUnknown'),
  },
  {
    why: 'a call that is cut takes the root password with it that it had drawn: the next ones wait for the settle time',
    allows: (difference) =>
      isCall(difference) &&
      DISTURBED.includes(difference.scenario) &&
      difference.line.endsWith(' -> 200 Pending/Preparing id=no []'),
  },
  {
    why: 'the hook saw that its view was stale and asked to be called again: caches lag by chance',
    allows: (difference) => isCall(difference) && difference.line.endsWith(' -> 429'),
  },
  {
    why: 'an edit ends the syncs under way: the real one tells each as SyncError, the local loop is silent',
    allows: ({ scenario, subject, line, kind }) =>
      scenario === 'edited-controller' &&
      subject.startsWith('events ') &&
      kind === 'only metacontroller' &&
      line === 'Warning SyncError from metacontroller',
  },
  {
    why: 'the replicas die while nothing is asked of this Rds: whether one of its calls falls into that time is chance',
    allows: ({ scenario, subject, line }) =>
      scenario === 'rdsbackup-lost' &&
      subject.startsWith('events ') &&
      line === 'Warning SyncError from metacontroller',
  },
  {
    why: 'the garbage collector removes the children of the former Rds of this name when it likes; until then they hold the names',
    allows: ({ scenario, line }) => scenario === 'same-name' && line.includes('ChildNameTaken'),
  },
  {
    why: 'fifty alike at once: in which order their lines first appear is chance',
    allows: ({ scenario, kind }) => scenario === 'edited-controller' && kind === 'order',
  },
  {
    why: 'the namespace controller deletes the children of a namespace when it likes',
    allows: (difference) =>
      difference.scenario === 'namespace-gone' &&
      (isCall(difference) || isRds(difference)) &&
      difference.other.some((each) => withoutChildren(each) === withoutChildren(difference.line)),
  },
  {
    why: 'inside one phase: whether a call falls into a passing state of the cloud (building, backup, restart) is chance',
    allows: ({ scenario, subject, line, kind, other }) =>
      subject.startsWith('Rds ') &&
      kind !== 'order' &&
      / Progressing=(True|Unknown)\//.test(line) &&
      (BRIEFLY_BUSY.includes(scenario) ||
        other.some((each) => stageOf(subject, each) === stageOf(subject, line))),
  },
  {
    why: 'a simulated restart or change takes half a second, a backup not much more: whether a call sees it is chance',
    allows: (difference) =>
      isCall(difference) &&
      BRIEFLY_BUSY.includes(difference.scenario) &&
      / -> 200 Changing\//.test(difference.line),
  },
  {
    why: 'the same for an RdsBackup: whether a call falls into the second in which its backup runs is chance',
    allows: ({ scenario, subject, line, kind }) =>
      subject.startsWith('RdsBackup ') &&
      kind !== 'order' &&
      BRIEFLY_BUSY.includes(scenario) &&
      line === 'Running id=yes',
  },
  {
    why: 'the Event of a passing state is told when a call falls into it, which is chance',
    allows: ({ subject, line }) => subject.startsWith('events ') && PASSING.includes(line),
  },
];

export const unexplained = (differences: readonly Difference[]): Difference[] =>
  differences.filter((difference) => !ALLOWED.some(({ allows }) => allows(difference)));
