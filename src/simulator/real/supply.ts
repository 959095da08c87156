// Where the server of an instance comes from: one of those given by address, or one started for it alone.
import type { Server } from './database.ts';

export type Supply = {
  /** Why one more instance cannot be had. */
  problemWith(instances: number): string | undefined;
  /** The server of this instance, running; the same one again after a restart of the simulator. */
  take(instanceId: string): Promise<Server>;
  /** The instance is gone; its data were cleared if the server is shared. */
  release(instanceId: string): Promise<void>;
  /** Whether the server outlives its instance, so that it has to be cleared. */
  isShared: boolean;
  /** Stops what was started; data stay. */
  close(): Promise<void>;
};
