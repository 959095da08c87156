// `/_sim`: what tests and demos do to the simulated cloud from outside. Not part of any real API.
import type { Cloud } from './cloud.ts';
import { type Fault, WIRE_FAULTS, WORLD_FAULTS } from './faults.ts';
import {
  isObject,
  type JsonObject,
  optionalInteger,
  optionalObject,
  optionalText,
  parseJson,
  text,
} from './fields.ts';
import { setUserState, USER_STATES } from './iam/user-state.ts';
import { type Answer, json, type Scene } from './protocol.ts';
import { type LoadOrder, recordLoad, setLoad } from './rds/load.ts';
import { setStatus } from './rds/set-status.ts';
import type { Instance } from './rds/types.ts';
import { BadField } from './refusal.ts';
import type { SimulatorRequest } from './request.ts';
import { signingIdentity } from './smn/signing.ts';

type Control = (cloud: Cloud, scene: Scene, body: JsonObject, id: string) => JsonObject;

const controls: Record<string, Control> = {
  'GET /_sim/calls': (_cloud, { world }) => world.calls,
  'GET /_sim/instances': (_cloud, { world }) => ({
    instances: Object.values(world.instances).map(withoutPassword),
  }),
  'POST /_sim/instances/{id}': (_cloud, scene, body, id) => changeInstance(scene, id, body),
  'GET /_sim/backups': (_cloud, { world }) => ({ backups: Object.values(world.backups) }),
  'GET /_sim/events': (_cloud, { world }) => ({ events: world.events }),
  'GET /_sim/faults': (cloud) => ({ faults: cloud.faults.list() }),
  'POST /_sim/faults': (cloud, _scene, body) => cloud.faults.add(readFault(body)),
  'DELETE /_sim/faults': (cloud) => {
    cloud.faults.clear();
    return {};
  },
  'POST /_sim/load': (_cloud, scene, body) => load(scene, body),
  'GET /_sim/messages': (_cloud, { world }) => ({ messages: Object.values(world.messages) }),
  'GET /_sim/smn-ca': () => ({ pem: signingIdentity().authority.certificate }),
  'GET /_sim/user': (_cloud, { world }) => ({ state: world.userState }),
  'POST /_sim/user': (_cloud, scene, body) => changeUser(scene, body),
  'POST /_sim/reset': (cloud) => {
    cloud.reset();
    return {};
  },
};

export const isControl = (path: string): boolean => path === '/_sim' || path.startsWith('/_sim/');

export function control(cloud: Cloud, request: SimulatorRequest): Answer {
  const scene = cloud.settle();
  const answer = answerFor(cloud, scene, request);
  return cloud.finish(answer, scene.now, `sim-${scene.world.order}`);
}

function answerFor(cloud: Cloud, scene: Scene, request: SimulatorRequest): Answer {
  const path = request.url.split('?', 1)[0] ?? '';
  const id = /^\/_sim\/instances\/([^/]+)$/.exec(path)?.[1] ?? '';
  const key = `${request.method} ${id ? '/_sim/instances/{id}' : path}`;
  const known = Object.hasOwn(controls, key) ? controls[key] : undefined;
  if (!known)
    return json(404, { error: `${key} is unknown; known are: ${Object.keys(controls).join(', ')}` });
  const body = parseJson(request.body || '{}');
  if (!isObject(body)) return json(400, { error: 'The body must be a JSON object.' });
  try {
    return json(200, known(cloud, scene, body, id));
  } catch (error) {
    if (error instanceof BadField) return json(400, { error: error.message });
    throw error;
  }
}

const withoutPassword = ({ password: _password, phases: _phases, ...rest }: Instance) => rest;

const kinds: readonly string[] = [...WIRE_FAULTS, ...WORLD_FAULTS];
const services: readonly string[] = ['iam', 'rds', 'ces', 'smn', 'vpc'];

function readFault(body: JsonObject): Fault {
  const kind = text(body, 'kind');
  if (!kinds.includes(kind)) throw new BadField('kind', `known are ${kinds.join(', ')}`);
  const match = optionalObject(body, 'match') ?? {};
  const service = optionalText(match, 'service');
  if (service && !services.includes(service))
    throw new BadField('match.service', `known are ${services.join(', ')}`);
  for (const name of ['method', 'path']) optionalText(match, name);
  for (const name of ['times', 'seed', 'delayMs', 'lateMs', 'retryAfterSeconds']) optionalInteger(body, name);
  optionalText(body, 'flavor');
  return { ...body, kind: kind as Fault['kind'], match };
}

function instanceIn(scene: Scene, id: string): Instance {
  const instance = scene.world.instances[id];
  if (!instance) throw new BadField('id', 'there is no such instance');
  return instance;
}

function changeInstance(scene: Scene, id: string, body: JsonObject): JsonObject {
  const instance = instanceIn(scene, id);
  setStatus(scene, instance, text(body, 'status'));
  recordLoad(scene, instance);
  return withoutPassword(instance);
}

function changeUser({ world }: Scene, body: JsonObject): JsonObject {
  const state = USER_STATES.find((known) => known === text(body, 'state'));
  if (!state) throw new BadField('state', `known are ${USER_STATES.join(', ')}`);
  setUserState(world, state);
  return { state };
}

function load(scene: Scene, body: JsonObject): JsonObject {
  const instance = instanceIn(scene, text(body, 'id'));
  const wanted: LoadOrder = {};
  for (const name of ['cpu', 'mem', 'disk'] as const) {
    const value = body[name];
    if (value === undefined) continue;
    if (value !== null && (typeof value !== 'number' || value < 0 || value > 100))
      throw new BadField(name, 'it must be a percentage or null');
    wanted[name] = value;
  }
  for (const name of ['scale', 'growthGbPerDay'] as const) {
    const value = body[name];
    if (value === undefined) continue;
    if (typeof value !== 'number' || value < 0) throw new BadField(name, 'it must be a number from 0 on');
    if (!instance.phases) throw new BadField(name, 'the instance is not built yet');
    wanted[name] = value;
  }
  setLoad(scene, instance, wanted);
  return { id: instance.id, status: instance.status, ...instance.load };
}
