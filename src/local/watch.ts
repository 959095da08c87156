// How the loop learns of changes: the in-memory store and a real API server both offer this.

import type { KubeObject } from '../kube/api.ts';
import type { ResourceRef } from './resources.ts';

export type WatchEvent = { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: KubeObject };

export type Watching = {
  /** Resolves once everything that existed at the start was delivered. */
  synced: Promise<void>;
  stop(): void;
};

/** Delivers what exists as ADDED, then every change, until stopped. */
export type Watch = (ref: ResourceRef, listener: (event: WatchEvent) => void) => Watching;
