// Two logins of one account that take turns: what is remembered of them, in the journal and, as a copy, in status.
// The next one is made and proven before it is published, and the one before it works on for a while.

export const ROTATION_STATES = ['Idle', 'Making', 'Publishing', 'Overlap', 'Closing'] as const;

/** `root`: the administrator of the cloud, which is published until the first rotation. */
export type Slot = 'first' | 'second' | 'root';

export type Rotation = {
  /** How many were begun. */
  number: number;
  /** The login that may be published. */
  current: Slot;
  since: number;
  state: (typeof ROTATION_STATES)[number];
  /** When this state began. */
  at: number;
  /** Which drawing of the password is published. */
  mark?: string;
  /** The drawing that was published when all this began: a wish that only rotated is the same wish. */
  origin?: string;
  /** The drawing of the login that is being made. */
  next?: string;
  /** Since when nobody saw the Secret: a new password is drawn only when it stays away. */
  missingAt?: number;
  /** Published before, and open until the end of the overlap. */
  previous?: Slot;
  endsAt?: number;
};

export type Logins = { first: string; second: string; root?: string };

/** The connection Secret has no user of its own in the spec. */
export const ROOT_ACCOUNT = '(root)';

const otherSlot = (slot: Slot): 'first' | 'second' => (slot === 'first' ? 'second' : 'first');

/** The slot whose login is made next. From root the first one follows. */
export const nextSlot = (slot: Slot): 'first' | 'second' => (slot === 'root' ? 'first' : otherSlot(slot));

export const loginIn = (logins: Logins, slot: Slot): string => logins[slot] ?? logins.first;

/** Undefined where status names a login that this account cannot have. */
export function slotOf(logins: Logins, login: string): Slot | undefined {
  return (['first', 'second', 'root'] as const).find((slot) => logins[slot] === login);
}

const HOUR_MS = 3_600_000;
const DEFAULT_GRACE = '24h';

export function hoursMs(text: string, hourMs: number = HOUR_MS): number {
  return Number.parseInt(text, 10) * hourMs;
}

export const graceMs = (grace: string | undefined, hourMs?: number): number =>
  hoursMs(grace ?? DEFAULT_GRACE, hourMs);
