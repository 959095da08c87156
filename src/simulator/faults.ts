// The list of troubles that were ordered. A call site asks whether one of them is meant for it.
import type { Service } from '../otc/send.ts';
import { createRandom } from './random.ts';
import type { Site } from './request.ts';

/** Troubles of the wire, decided before the call is looked at. */
export const WIRE_FAULTS = [
  'timeout-before',
  'timeout-after',
  'late',
  '500-before',
  '500-after',
  '503',
  '401',
  '403',
  '404',
  '409',
  '429',
  '429-no-header',
  'slow',
  'truncated',
  'empty',
  'connection',
  'missing-page',
  'empty-list',
] as const;

/** Troubles of the world, asked for by the endpoint they strike. */
export const WORLD_FAULTS = [
  'stuck-build',
  'failed-build',
  'failed-backup',
  'stuck-backup',
  'failed-restore',
  'sold-out',
] as const;

export type WireFaultKind = (typeof WIRE_FAULTS)[number];
export type WorldFaultKind = (typeof WORLD_FAULTS)[number];
export type FaultKind = WireFaultKind | WorldFaultKind;

export type Fault = {
  match?: { service?: Service; method?: string; path?: string };
  kind: FaultKind;
  /** How often it strikes; 1 unless told. */
  times?: number;
  /** With a seed it strikes at random, with `probability` (0.5). */
  seed?: number;
  probability?: number;
  /** For `slow`. */
  delayMs?: number;
  /** For `late`. */
  lateMs?: number;
  /** For `429`. */
  retryAfterSeconds?: number;
  /** For `sold-out`: only this spec code. */
  flavor?: string;
};

export type FaultEntry = Fault & { id: number; times: number; fired: number; random: number };

export type FaultDesk = ReturnType<typeof createFaultDesk>;

const wireKinds: ReadonlySet<string> = new Set(WIRE_FAULTS);

export function createFaultDesk() {
  let entries: FaultEntry[] = [];
  let nextId = 1;

  const isOpen = (entry: FaultEntry, site: Site) =>
    entry.fired < entry.times && matches(entry.match ?? {}, site);

  function strike(entry: FaultEntry): boolean {
    if (entry.seed !== undefined && createRandom(entry).next() >= (entry.probability ?? 0.5)) return false;
    entry.fired++;
    return true;
  }

  return {
    add(fault: Fault): FaultEntry {
      const entry = { ...fault, id: nextId++, times: fault.times ?? 1, fired: 0, random: fault.seed ?? 0 };
      entries.push(entry);
      return entry;
    },
    clear(): void {
      entries = [];
    },
    list: (): FaultEntry[] => entries.map((entry) => ({ ...entry })),
    restore(saved: FaultEntry[]): void {
      entries = saved;
      nextId = Math.max(0, ...saved.map((entry) => entry.id)) + 1;
    },
    /** The wire fault that strikes this call, if any; counts it. */
    takeWire(site: Site): FaultEntry | undefined {
      return entries.find(
        (entry) =>
          wireKinds.has(entry.kind) && isApplicable(entry, site) && isOpen(entry, site) && strike(entry),
      );
    },
    /** Whether the world has this trouble for the call; counts it. */
    takeWorld(kind: WorldFaultKind, site: Site, flavor?: string): boolean {
      return entries.some((entry) => isMeant(entry, kind, flavor) && isOpen(entry, site) && strike(entry));
    },
    /** Same question without counting, for calls that only look. */
    hasWorld: (kind: WorldFaultKind, flavor?: string): boolean =>
      entries.some((entry) => isMeant(entry, kind, flavor) && entry.fired < entry.times),
  };
}

const isMeant = (entry: FaultEntry, kind: WorldFaultKind, flavor: string | undefined): boolean =>
  entry.kind === kind && (entry.flavor === undefined || entry.flavor === flavor);

/** Faults of lists strike only reads, a late effect only writes. */
function isApplicable(entry: FaultEntry, site: Site): boolean {
  if (entry.kind === 'missing-page' || entry.kind === 'empty-list') return site.method === 'GET';
  return true;
}

function matches(match: NonNullable<Fault['match']>, site: Site): boolean {
  if (match.service && match.service !== site.service) return false;
  if (match.method && match.method.toUpperCase() !== site.method) return false;
  return match.path === undefined || matchesPath(match.path, site);
}

/** A route template, a glob with `*`, or the beginning of a path (with or without the service prefix). */
function matchesPath(wanted: string, site: Site): boolean {
  if (wanted === site.template) return true;
  const paths = [site.path, `/${site.service}${site.path}`];
  if (wanted.includes('*')) {
    const pattern = new RegExp(`^${wanted.split('*').map(escapeRegExp).join('.*')}$`);
    return [site.template, ...paths].some((path) => pattern.test(path));
  }
  if (wanted.includes('{')) return false;
  return paths.some(
    (path) => path === wanted || path.startsWith(wanted.endsWith('/') ? wanted : `${wanted}/`),
  );
}

const escapeRegExp = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
