// The one virtual clock of a schedule. All code under test runs on promises alone, so no turn of the event loop is
// needed between two wake-ups: the queue of nextTick is looked at only when no promise is left to settle.

import { createVirtualClock, type VirtualClock } from '../../src/local/virtual-clock.ts';

export const START = Date.parse('2026-11-16T08:00:00Z');
export const SECOND = 1_000;
export const MINUTE = 60_000;
/** What an hour of the spec lasts in a schedule: rotations come by the minute. */
export const HOUR_MS = 60_000;

const drain = () => new Promise<void>((resolve) => process.nextTick(resolve));

export const createSimulationClock = (): VirtualClock => createVirtualClock(START, { drain });
