// The one virtual clock of a schedule. All code under test runs on promises alone, so one turn of the event loop
// between two wake-ups is enough.

import { createVirtualClock, type VirtualClock } from '../../src/local/virtual-clock.ts';

export const START = Date.parse('2026-11-16T08:00:00Z');
export const SECOND = 1_000;
export const MINUTE = 60_000;

export const createSimulationClock = (): VirtualClock => createVirtualClock(START, { turns: 1 });
