// Durations of a cloud that does everything at once.

import type { Durations } from '../../src/simulator/options.ts';

export const NO_TIME: Durations = {
  createMs: 0,
  replicaMs: 0,
  enlargeMs: 0,
  resizeMs: 0,
  restartMs: 0,
  startMs: 0,
  stopMs: 0,
  haMs: 0,
  failoverMs: 0,
  migrateMs: 0,
  portMs: 0,
  changeMs: 0,
  backupMs: 0,
  restoreMs: 0,
  upgradeMs: 0,
  deleteMs: 0,
  jobTailMs: 0,
};
