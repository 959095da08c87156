// `npm run chaos -- --rds 100 --seconds 240 --seed 1`: real processes under a seeded storm; ends with 1 when a
// database was doubled, lost or left behind. --replicas 2 hooks, --calm 180 seconds for all to become Ready,
// --hooks <folder> runs the hooks from another copy of the sources, --keep keeps the evidence of a good run too.
import { parseArgs } from 'node:util';
import { metacontrollerHome } from '../cluster/metacontroller.ts';
import { keepEvidence } from './keep.ts';
import { type RunOptions, startChaos, type Verdict } from './run.ts';

const { values } = parseArgs({
  options: {
    rds: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '240' },
    seed: { type: 'string', default: '1' },
    replicas: { type: 'string', default: '2' },
    calm: { type: 'string', default: '180' },
    silence: { type: 'string', default: '15' },
    hooks: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
});

function whole(name: 'rds' | 'seconds' | 'seed' | 'replicas' | 'calm' | 'silence'): number {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value > 0) return value;
  console.error(`--${name} takes a whole number above 0, not "${values[name]}"`);
  process.exit(2);
}

function tell({ incarnations, evidence, blows, stormSeconds, calmSeconds }: Verdict): void {
  const deleted = incarnations.filter(({ isDeleted }) => isDeleted).length;
  const done = Map.groupBy(evidence?.events ?? [], ({ kind }) => kind);
  const kinds = ['create', 'enlarge', 'resize', 'restart', 'backup', 'delete'];
  console.log(`\n${incarnations.length} Rds, ${deleted} of them deleted`);
  console.log(`cloud   ${kinds.map((kind) => `${kind} ${done.get(kind)?.length ?? 0}`).join(', ')}`);
  const struck = Object.entries(blows).filter(([kind]) => !kind.startsWith('fault'));
  const faults = Object.entries(blows).filter(([kind]) => kind.startsWith('fault'));
  const listed = (all: [string, number][]): string =>
    all.map(([kind, count]) => `${kind} ${count}`).join(', ');
  console.log(`blows   ${listed(struck)}`);
  console.log(`faults  ${listed(faults.map(([kind, count]) => [kind.replace('fault ', ''), count]))}`);
  console.log(
    `time    ${stormSeconds.toFixed(0)} s of storm, ${calmSeconds.toFixed(0)} s until all was as wanted`,
  );
}

const { home, notice } = metacontrollerHome();
if (notice) console.log(`NOTICE: ${notice}`);
const options: RunOptions = {
  seed: whole('seed'),
  rds: whole('rds'),
  seconds: whole('seconds'),
  replicas: whole('replicas'),
  calmSeconds: whole('calm'),
  silenceSeconds: whole('silence'),
  metacontrollerHome: home,
  hooks: values.hooks,
  say: (line) => console.log(line),
};
console.log(`seed ${options.seed}: ${options.rds} Rds, ${options.seconds} s of storm`);
const run = await startChaos(options);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void run.stop().finally(() => process.exit(130)));
try {
  const verdict = await run.play();
  tell(verdict);
  if (verdict.violations.length === 0) {
    console.log(`\nseed ${options.seed}: nothing was doubled, lost or left behind`);
  } else {
    console.log(`\nseed ${options.seed}: ${verdict.violations.length} violations`);
    for (const violation of verdict.violations.slice(0, 30)) console.log(`  ${violation}`);
    process.exitCode = 1;
  }
  if (values.keep || verdict.violations.length > 0)
    console.log(`evidence: ${await keepEvidence(run, options, verdict)}`);
} finally {
  await run.stop();
}
