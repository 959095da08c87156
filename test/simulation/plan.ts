// What people do in a schedule: made from the seed in advance, as data, so that a step can be taken out.

import type { RdsSpec } from '../../src/rds/spec.ts';
import { addBackupObjects, BACKUP_DEEDS, type BackupDeed, backsUpIn } from './backup-plan.ts';
import { MINUTE, SECOND } from './clock.ts';
import { NAMESPACES } from './cluster.ts';
import type { Chance } from './random.ts';
import { randomChange } from './random-spec.ts';
import { CANARY } from './secrets.ts';
import { addSharing, SHARE_DEEDS, type ShareDeed, sharesIn } from './share-plan.ts';
import type { Target } from './target.ts';
import type { WeatherKind } from './weather.ts';

export type { Target };

export type Deed =
  | {
      do: 'create';
      password: 'generated' | 'spec' | 'secret';
      policy: Policy;
      flavor: string;
      sizeGb: number;
      envies?: boolean;
      /** The rest of the spec. */
      more?: Partial<RdsSpec>;
      /** Lives in the second account, by a Secret of its own. */
      isTenant?: boolean;
    }
  | { do: 'recreate' }
  | { do: 'grow'; byGb: number }
  | { do: 'shrink' }
  | { do: 'new password'; value: string }
  /** Any change of the spec, valid or not. */
  | { do: 'spec'; change: Record<string, unknown> }
  | { do: 'flavor'; to: string }
  /** Asks for a restore drill every so many minutes; somebody has made a backup. */
  | { do: 'drill'; everyMinutes: number }
  /** Back to some minutes ago, if a backup allows it. */
  | { do: 'restore in place' }
  | { do: 'policy'; to: Policy }
  | { do: 'pause'; on: boolean }
  | { do: 'dry-run'; on: boolean }
  | { do: 'restart'; order: string }
  /** The old style: `true` written into status. */
  | { do: 'reboot by status' }
  | { do: 'order logs'; value: string }
  /** The old style, as above. */
  | { do: 'logs by status' }
  | { do: 'reconcile'; order: string }
  | { do: 'declare'; databases: string[]; users: DeclaredUser[]; removal?: 'Keep' | 'Drop' }
  | { do: 'new user password'; value: string }
  | { do: 'relabel'; value: string }
  | { do: 'adopt foreign' }
  | { do: 'adopt of neighbour' }
  | { do: 'withdraw adoption' }
  | { do: 'hold' }
  | { do: 'delete'; foreground: boolean }
  | { do: 'force-delete' }
  | { do: 'delete namespace' }
  | { do: 'delete CRD' }
  /** Percent; null is the quiet of the night. */
  | { do: 'load'; cpu?: number | null; mem?: number | null; disk?: number | null }
  | { do: 'instance breaks' }
  | { do: 'hand deletes alarm'; which: number }
  | { do: 'hand doubles alarm'; which: number }
  | { do: 'hand disables alarm'; which: number }
  | { do: 'hand grows disk' }
  | { do: 'hand changes flavor'; to: string }
  | { do: 'hand renames' }
  | { do: 'hand makes a backup' }
  /** An instance of somebody else, with a backup. */
  | { do: 'foreign backup' }
  | { do: 'hand deletes' }
  /** `remade`: with a name like ours under another UID, as after a restored cluster. */
  | { do: 'foreign namesake'; remade?: boolean }
  | { do: 'parent goes back'; versions: number }
  | { do: 'children go back'; versions: number }
  | { do: 'namespace goes back' | 'copy goes back'; namespace: string; versions: number }
  | ShareDeed
  | BackupDeed
  | { do: 'metacontroller restarts' }
  | { do: 'second leader'; forMs: number }
  | { do: 'sync for no reason' }
  | { do: WeatherKind; forMs: number }
  | { do: 'replica killed'; which: number }
  /** Journals of Rds that are long gone; one that was closed just now. */
  | { do: 'old journals' }
  | { do: 'journals are swept'; which: number }
  | { do: 'clock jumps'; which: number; byMs: number };

/** A user of the spec; where its password comes from, and what it may do in the first database. */
export type DeclaredUser = { name: string; password: 'generated' | 'spec' | 'secret'; rights: string[] };

export type Policy = 'Snapshot' | 'Delete' | 'Retain';

export type Step = { key: string; at: number; target: Target; deed: Deed };

export type Plan = {
  replicas: number;
  chaosMs: number;
  targets: Target[];
  steps: Step[];
  /** Namespaces ask for Secrets of others. */
  shares: boolean;
  /** There are backups as objects. */
  backsUp: boolean;
};

/** Of all schedules. */
const ROTATING_SHARE = 0.2;

/** Short for a schedule, and long enough for whatever lags. */
export const ROTATING: Partial<RdsSpec> = {
  users: [{ name: 'app', rotateEvery: '4h' }],
  rotationGrace: '2h',
};

export const FLAVORS = ['rds.mysql.c2.medium', 'rds.mysql.c2.large', 'rds.mysql.c2.xlarge'] as const;
const POLICIES: readonly Policy[] = ['Snapshot', 'Snapshot', 'Delete', 'Retain'];
const COUNTS = [1, 2, 2, 2, 2, 2, 2, 2, 3, 4] as const;
/** By the number of Rds: many of them need less time for as much to happen, so that schedules are of one size. */
const SHORTEST_MINUTES = [0, 8, 2.4, 0.9, 0.3] as const;
const SPREAD_MS = 2.2 * MINUTE;

export const PLAN_SITES = {
  user: [
    'create',
    'recreate',
    'grow',
    'shrink',
    'new password',
    'spec',
    'flavor',
    'drill',
    'restore in place',
    'policy',
    'pause',
    'dry-run',
    'restart',
    'reboot by status',
    'order logs',
    'logs by status',
    'reconcile',
    'declare',
    'new user password',
    'relabel',
    'adopt foreign',
    'adopt of neighbour',
    'withdraw adoption',
    'hold',
    'delete',
    'force-delete',
    'delete namespace',
    'delete CRD',
  ],
  hand: [
    'hand makes a backup',
    'foreign backup',
    'load',
    'instance breaks',
    'hand deletes alarm',
    'hand doubles alarm',
    'hand disables alarm',
    'hand grows disk',
    'hand changes flavor',
    'hand renames',
    'hand deletes',
    'foreign namesake',
  ],
  metacontroller: [
    'parent goes back',
    'children go back',
    'namespace goes back',
    'copy goes back',
    'metacontroller restarts',
    'second leader',
    'sync for no reason',
  ],
  sharing: SHARE_DEEDS,
  backups: BACKUP_DEEDS,
  host: ['replica killed', 'clock jumps', 'old journals', 'journals are swept'],
  weather: ['cloud is slow', 'cloud is down', 'tenant is down', 'API server is down', 'no temporary keys'],
} as const satisfies Record<string, readonly Deed['do'][]>;

export function siteOfDeed(deed: Deed): keyof typeof PLAN_SITES {
  for (const site of Object.keys(PLAN_SITES) as (keyof typeof PLAN_SITES)[]) {
    if ((PLAN_SITES[site] as readonly string[]).includes(deed.do)) return site;
  }
  return 'user';
}

export const passwordFor = (target: Target): string => `${CANARY}-${target.name}Pw1`;

export function makePlan(chance: Chance): Plan {
  const count = chance.pick('count', COUNTS);
  const rotates = chance.of('rotates') < ROTATING_SHARE;
  const chaosMs = (SHORTEST_MINUTES[count] ?? 0) * MINUTE + chance.below('length', SPREAD_MS);
  const targets = Array.from({ length: count }, (_, index) => ({
    namespace: chance.pick(`namespace ${index}`, [NAMESPACES[0], NAMESPACES[0], NAMESPACES[1]]),
    name: `db${index + 1}`,
  }));
  const steps: Step[] = [];
  const add = (at: number, target: Target, deed: Deed): void => {
    steps.push({ key: `${siteOfDeed(deed)} step ${steps.length}`, at: Math.round(at), target, deed });
  };
  for (const [index, target] of targets.entries())
    addLife(chance, `rds ${index}`, target, { chaosMs, rotates }, add);
  addTroubles(chance, targets, chaosMs, add);
  const shares = sharesIn(chance);
  if (shares) addSharing(chance, targets, chaosMs, add);
  const backsUp = backsUpIn(chance);
  if (backsUp) addBackupObjects(chance, targets, chaosMs, add);
  steps.sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1));
  return { replicas: chance.pick('replicas', [1, 2, 2, 3]), chaosMs, targets, steps, shares, backsUp };
}

type Add = (at: number, target: Target, deed: Deed) => void;

function rotatingSpec(chance: Chance, name: string, password: string): Partial<RdsSpec> {
  const isRoot = password === 'generated' && chance.of(`${name} rotates root`) < 0.6;
  return isRoot ? { ...ROTATING, rootRotateEvery: '4h' } : ROTATING;
}

type Whole = { chaosMs: number; rotates: boolean };

function addLife(chance: Chance, name: string, target: Target, { chaosMs, rotates }: Whole, add: Add): void {
  // Wants the database of a neighbour, which must exist by then.
  const envies = chance.of(`${name} envy`) < 0.1;
  const createAt = chance.below(`${name} create`, 40 * SECOND) + (envies ? 2 * MINUTE : 0);
  if (chance.of(`${name} namesake`) < 0.12) {
    add(createAt, target, { do: 'foreign namesake' });
    if (chance.of(`${name} adopt`) < 0.7)
      add(createAt + chance.below(`${name} adopt at`, 3 * MINUTE), target, { do: 'adopt foreign' });
  }
  // A namesake or a neighbour to adopt must be in the same account.
  const isTenant =
    !rotates && !envies && chance.of(`${name} namesake`) >= 0.12 && chance.of(`${name} tenant`) < 0.3;
  const password = chance.pick(`${name} password`, ['generated', 'generated', 'spec', 'secret'] as const);
  add(createAt + 1, target, {
    do: 'create',
    password,
    policy: chance.pick(`${name} policy`, POLICIES),
    flavor: chance.pick(`${name} flavor`, FLAVORS),
    sizeGb: 40 + 10 * chance.below(`${name} size`, 4),
    ...(envies ? { envies } : {}),
    ...(isTenant ? { isTenant } : {}),
    ...maybeAutopilot(chance, name),
    ...(rotates ? { more: rotatingSpec(chance, name, password) } : {}),
  });
  const deletes = chance.of(`${name} deletes`) < 0.55;
  const endAt = deletes ? chaosMs * (0.15 + 0.8 * chance.of(`${name} delete at`)) : chaosMs;
  const edits = 3 + chance.below(`${name} edits`, 4);
  for (let index = 0; index < edits; index += 1) {
    const edit = `${name} edit ${index}`;
    const at = createAt + 2 + chance.of(`${edit} at`) * Math.max(0, endAt - createAt);
    add(at, target, editDeed(chance, edit));
  }
  addJobs(chance, name, target, { from: createAt, to: endAt, rotates }, add);
  addBackups(chance, name, target, { from: createAt, to: endAt }, add);
  if (!deletes) return;
  if (chance.of(`${name} hold`) < 0.2) add(endAt - 1, target, { do: 'hold' });
  add(endAt, target, { do: 'delete', foreground: chance.of(`${name} foreground`) < 0.2 });
  if (chance.of(`${name} policy late`) < 0.3)
    add(endAt + chance.below(`${name} policy late at`, 2 * MINUTE), target, {
      do: 'policy',
      to: chance.pick(`${name} policy late to`, POLICIES),
    });
  if (chance.of(`${name} force`) < 0.15)
    add(endAt + chance.below(`${name} force at`, 2 * MINUTE), target, { do: 'force-delete' });
  if (chance.of(`${name} again`) < 0.5)
    add(endAt + MINUTE + chance.below(`${name} again at`, 5 * MINUTE), target, { do: 'recreate' });
}

/** Restores in place, and rehearsals of restores. */
function addBackups(
  chance: Chance,
  name: string,
  target: Target,
  { from, to }: { from: number; to: number },
  add: Add,
): void {
  if (chance.of(`${name} restore`) < 0.15) {
    const backupAt = from + 90 * SECOND + chance.below(`${name} backup at`, MINUTE);
    add(backupAt, target, { do: 'hand makes a backup' });
    for (const time of [0, 1])
      add(backupAt + (5.5 + time) * MINUTE + chance.below(`${name} restore at ${time}`, 2 * MINUTE), target, {
        do: 'restore in place',
      });
  }
  if (chance.of(`${name} drill`) < 0.3)
    add(from + chance.of(`${name} drill at`) * Math.max(0, to - from), target, {
      do: 'drill',
      everyMinutes: 2 + chance.below(`${name} drill every`, 3),
    });
}

/** Orders and wishes that end in Jobs; mostly when there is a database already. */
function addJobs(
  chance: Chance,
  name: string,
  target: Target,
  { from, to, rotates }: { from: number; to: number; rotates: boolean },
  add: Add,
): void {
  const at = (what: string): number =>
    from + chance.of(`${name} ${what} at`) * Math.max(0, to + MINUTE - from);
  const isOrdered = chance.of(`${name} logs`) < 0.45;
  for (let index = 0; isOrdered && index <= chance.below(`${name} logs count`, 3); index += 1) {
    const order = `logs ${index}`;
    const isBoolean = chance.of(`${name} ${order} style`) < 0.25;
    add(
      at(order),
      target,
      isBoolean ? { do: 'logs by status' } : { do: 'order logs', value: `${index + 1}h` },
    );
  }
  // Other users would end the rotation.
  const declares = !rotates && chance.of(`${name} declares`) < 0.4;
  for (let index = 0; declares && index <= chance.below(`${name} declares count`, 4); index += 1)
    add(at(`declares ${index}`), target, jobDeed(chance, `${name} declares ${index}`));
}

function jobDeed(chance: Chance, name: string): Deed {
  const what = chance.of(`${name} what`);
  if (what < 0.2)
    return { do: 'new user password', value: `${CANARY}-${chance.below(`${name} pw`, 1000)}User` };
  if (what < 0.3) return { do: 'reconcile', order: name.replaceAll(' ', '-') };
  const users = ['app', 'report'].slice(0, chance.below(`${name} users`, 3)).map((user) => ({
    name: user,
    password: chance.pick(`${name} ${user} password`, ['generated', 'spec', 'secret'] as const),
    rights: chance.pick(`${name} ${user} rights`, [['ALL'], ['SELECT'], ['SELECT', 'INSERT'], []]),
  }));
  const databases = ['shop', 'stock'].slice(0, 1 + chance.below(`${name} databases`, 2));
  const removal = chance.pick(`${name} removal`, ['Keep', 'Drop'] as const);
  return { do: 'declare', databases, users, removal };
}

const maybeAutopilot = (chance: Chance, name: string): { more?: Partial<RdsSpec> } =>
  chance.of(`${name} autopilot`) < 0.35 ? { more: autopilotSpec(chance, name) } : {};

function autopilotSpec(chance: Chance, name: string): Partial<RdsSpec> {
  const endpoint = chance.of(`${name} endpoint`) < 0.4 ? { endpoint: 'https://alarms.example.com/' } : {};
  return {
    ...endpoint,
    autopilot: {
      mode: chance.pick(`${name} mode`, ['Act', 'Act', 'Act', 'Recommend']),
      storage: { maxGb: chance.pick(`${name} max`, [90, 120, 200]) },
      compute: { maxFlavor: 'rds.mysql.c2.xlarge' },
      cooldownMinutes: 5,
      heal: chance.of(`${name} heal`) < 0.5,
    },
  };
}

function loadDeed(chance: Chance, edit: string): Deed {
  const percent = chance.pick(`${edit} percent`, [92, 95, 99]);
  return chance.pick(`${edit} load`, [
    { do: 'load', disk: percent },
    { do: 'load', cpu: percent },
    { do: 'load', mem: percent },
    { do: 'load', cpu: percent, disk: percent },
    { do: 'load', cpu: null, mem: null, disk: null },
  ] as const);
}

function autopilotDeed(chance: Chance, edit: string, what: number): Deed {
  if (what < 0.08) return loadDeed(chance, edit);
  return {
    do: chance.pick(`${edit} alarm`, ['hand deletes alarm', 'hand doubles alarm', 'hand disables alarm']),
    which: chance.below(`${edit} which`, 3),
  };
}

function editDeed(chance: Chance, edit: string): Deed {
  const what = chance.of(`${edit} what`);
  if (what < 0.1) return autopilotDeed(chance, edit, what);
  if (what < 0.22) return { do: 'grow', byGb: 10 * (1 + chance.below(`${edit} by`, 3)) };
  if (what < 0.44) return { do: 'flavor', to: chance.pick(`${edit} to`, FLAVORS) };
  if (what >= 0.6 && what < 0.66) return { do: 'reboot by status' };
  if (what < 0.66) return { do: 'restart', order: chance.pick(`${edit} order`, ['r1', 'r2', 'r3', 'r4']) };
  if (what < 0.74) return { do: 'policy', to: chance.pick(`${edit} policy`, POLICIES) };
  if (what < 0.82) return { do: 'pause', on: chance.of(`${edit} on`) < 0.5 };
  if (what < 0.87) return { do: 'dry-run', on: chance.of(`${edit} on`) < 0.5 };
  if (what < 0.89) return { do: 'relabel', value: edit.replaceAll(' ', '-') };
  if (what < 0.925) return { do: 'spec', change: randomChange(chance, `${edit} spec`) };
  if (what < 0.935) return { do: 'shrink' };
  if (what < 0.95) return { do: 'new password', value: `${CANARY}-${chance.below(`${edit} pw`, 1000)}Pw` };
  if (what < 0.96) return { do: 'adopt of neighbour' };
  if (what < 0.97) return { do: 'withdraw adoption' };
  if (what < 0.98) return { do: 'hand changes flavor', to: chance.pick(`${edit} to`, FLAVORS) };
  if (what < 0.99) return { do: 'hand grows disk' };
  return chance.of(`${edit} hand`) < 0.5 ? { do: 'hand renames' } : { do: 'hand deletes' };
}

function addTroubles(chance: Chance, targets: readonly Target[], chaosMs: number, add: Add): void {
  const troubles = 4 + chance.below('troubles', 8);
  for (let index = 0; index < troubles; index += 1) {
    const name = `trouble ${index}`;
    const target = chance.pick(`${name} target`, targets);
    add(chance.of(`${name} at`) * chaosMs, target, troubleDeed(chance, name));
  }
  const [first] = targets;
  if (!first) return;
  if (chance.of('old journals') < 0.2) {
    add(0, first, { do: 'old journals' });
    for (const which of [0, 1])
      add(chance.of(`sweep ${which} at`) * chaosMs, first, { do: 'journals are swept', which });
  }
  if (chance.of('no keys') < 0.4) add(0, first, { do: 'no temporary keys', forMs: 2 * chaosMs });
  const going = chance.of('going');
  const at = chaosMs * (0.3 + 0.65 * chance.of('going at'));
  if (going < 0.05) add(at, first, { do: 'delete namespace' });
  else if (going < 0.08) add(at, first, { do: 'delete CRD' });
}

function troubleDeed(chance: Chance, name: string): Deed {
  const what = chance.of(`${name} what`);
  const which = chance.below(`${name} which`, 3);
  if (what < 0.3) return { do: 'parent goes back', versions: 1 + chance.below(`${name} versions`, 5) };
  if (what < 0.4) return { do: 'children go back', versions: 1 + chance.below(`${name} versions`, 2) };
  if (what < 0.5) return { do: 'metacontroller restarts' };
  if (what < 0.62)
    return { do: 'second leader', forMs: 15 * SECOND + chance.below(`${name} for`, 45 * SECOND) };
  if (what < 0.72) return { do: 'sync for no reason' };
  if (what < 0.8) return { do: 'replica killed', which };
  if (what < 0.88) {
    const byMs = (chance.of(`${name} forward`) < 0.5 ? 1 : -1) * 60 * MINUTE;
    return { do: 'clock jumps', which, byMs };
  }
  const weather = chance.pick(`${name} weather`, [
    'cloud is slow',
    'cloud is slow',
    'cloud is down',
    'tenant is down',
    'API server is down',
  ] as const);
  return { do: weather, forMs: 20 * SECOND + chance.below(`${name} for`, 60 * SECOND) };
}
