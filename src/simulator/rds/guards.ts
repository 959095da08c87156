// What must hold before an instance may be changed, and the refusals when it does not.
import { type Call, param } from '../protocol.ts';
import { type Refusal, refuse } from '../refusal.ts';
import type { Instance, OperationKind } from './types.ts';

const ID_FORMAT = /^[0-9a-f]{32}in0[134]$/;

export function instanceOf(call: Call): Instance {
  const id = param(call, 'id');
  if (!ID_FORMAT.test(id)) throw refuse(400, 'DBS.280404', `Invalid instance ID: ${id}.`);
  return instanceById(call, id);
}

export function instanceById(call: Call, id: string): Instance {
  const found = call.world.instances[id];
  if (!found || found.projectId !== call.identity.projectId)
    throw refuse(404, 'DBS.200002', `The DB instance ${id} does not exist.`);
  return found;
}

const busy = (kind: OperationKind): Refusal =>
  refuse(409, 'DBS.200047', `Another operation is being performed on the DB instance (${kind}).`);

/** Nothing that must not be disturbed is running. */
export function requireIdle(instance: Instance, tolerated: readonly OperationKind[] = []): void {
  if (instance.status === 'FROZEN') throw wrongState(instance);
  const running = instance.operation;
  if (running && !tolerated.includes(running.kind)) throw busy(running.kind);
}

export function requireNoSslSwitch(instance: Instance, now: number): void {
  if ((instance.sslBusyUntil ?? 0) > now)
    throw refuse(409, 'DBS.200047', 'Another operation is being performed on the DB instance (ssl).');
}

/** Idle and usable; `also` names further stable states that will do. */
export function requireActive(instance: Instance, also: readonly string[] = []): void {
  requireIdle(instance);
  if (instance.status === 'ACTIVE' || also.includes(instance.status)) return;
  if (instance.status === 'STORAGE FULL')
    throw refuse(409, 'DBS.200316', 'The storage of the DB instance is full.');
  throw wrongState(instance);
}

export const wrongState = ({ status }: Instance): Refusal =>
  status === 'FROZEN'
    ? refuse(400, 'DBS.280449', 'The DB instance is frozen.')
    : refuse(400, 'DBS.200086', `The operation is not allowed in the state ${status}.`);

export function requireType(instance: Instance, type: Instance['type']): void {
  if (instance.type !== type) throw refuse(400, 'DBS.201014', `The DB instance must be of type ${type}.`);
}
