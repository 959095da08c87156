// A whole simulated cloud as one JSON text.
import type { FaultEntry } from './faults.ts';
import { isObject, parseJson } from './fields.ts';
import { revived, type World } from './world.ts';

type Saved = { world: World; faults: FaultEntry[] };

const VERSION = 1;

export const writeSave = (saved: Saved): string => JSON.stringify({ version: VERSION, ...saved });

export function readSave(text: string): Saved {
  const saved = parseJson(text);
  if (!isObject(saved) || saved.version !== VERSION || !isObject(saved.world) || !Array.isArray(saved.faults))
    throw new Error(`This is not a saved simulator of version ${VERSION}.`);
  return { world: revived(saved.world as World), faults: saved.faults as FaultEntry[] };
}
