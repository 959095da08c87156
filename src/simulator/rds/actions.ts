// `POST /instances/{id}/action`: one path, several verbs, told apart by the key in the body.

import { ZONES } from '../demo-account.ts';
import { bodyOf, integer, type JsonObject, object, text } from '../fields.ts';
import { type Answer, type Call, json, type Scene } from '../protocol.ts';
import { BadField, refuse } from '../refusal.ts';
import { checkSize, checkStock } from './create-rules.ts';
import { checkPassword, factsOf } from './engines.ts';
import { findFlavor } from './flavors.ts';
import { instanceOf, requireActive, requireIdle, requireType, wrongState } from './guards.ts';
import { begin, type Operation } from './operations.ts';
import type { Instance } from './types.ts';

type Verb = { action: string; plan(call: Call, instance: Instance, args: JsonObject): Operation };

const verbs: Record<string, Verb> = {
  restart: { action: 'rds:instance:restart', plan: restart },
  resize_flavor: { action: 'rds:instance:modifySpec', plan: resize },
  enlarge_volume: { action: 'rds:instance:extendSpace', plan: enlarge },
  single_to_ha: { action: 'rds:instance:singleToHa', plan: singleToHa },
  change_volume: { action: 'rds:instance:modifySpec', plan: changeVolume },
};

function verbOf(body: JsonObject): [string, Verb] {
  const found = Object.entries(verbs).find(([name]) => name in body);
  if (!found) throw new BadField('body', 'it names no known action');
  return found;
}

export const actionOfVerb = (call: Call): string => verbOf(bodyOf(call))[1].action;

export function act(call: Call): Answer {
  const instance = instanceOf(call);
  const body = bodyOf(call);
  const [name, verb] = verbOf(body);
  const job = begin(call, instance, verb.plan(call, instance, object(body, name)));
  return json(202, { job_id: job.id });
}

function restart(call: Call, instance: Instance): Operation {
  requireIdle(instance);
  if (!['ACTIVE', 'STORAGE FULL', 'FAILED'].includes(instance.status)) throw wrongState(instance);
  return {
    kind: 'restart',
    status: 'REBOOTING',
    durationMs: call.settings.durations.restartMs,
    effect: { do: 'restarted' },
  };
}

function resize(call: Call, instance: Instance, args: JsonObject): Operation {
  requireActive(instance);
  const code = text(args, 'spec_code');
  const flavor = findFlavor(code);
  const old = findFlavor(instance.flavor);
  if (!flavor) throw refuse(404, 'DBS.290002', `The flavor ${code} does not exist.`);
  if (flavor.engine !== instance.engine || flavor.mode !== old?.mode)
    throw refuse(400, 'DBS.280239', `The flavor ${code} does not fit the DB instance.`);
  if (code === instance.flavor) throw refuse(400, 'DBS.200054', 'The flavor is the one in use.');
  const primary = call.world.instances[instance.replicaOf ?? ''];
  if (primary && flavor.vcpus < (findFlavor(primary.flavor)?.vcpus ?? 0))
    throw refuse(400, 'DBS.200054', 'The class of a read replica must not be below that of its primary.');
  checkStock(
    call,
    flavor,
    instance.nodes.map(({ zone }) => zone),
  );
  const { resizeMs } = call.settings.durations;
  return {
    kind: 'resize',
    status: 'MODIFYING',
    durationMs: resizeMs,
    effect: { do: 'resized', flavor: code },
  };
}

/** `size` is the new total. A full disk may be enlarged: it is the only way out. */
function enlarge(call: Call, instance: Instance, args: JsonObject): Operation {
  requireActive(instance, ['STORAGE FULL']);
  const sizeGb = checkSize(integer(args, 'size'));
  if (sizeGb <= instance.volumeGb)
    throw refuse(400, 'DBS.200306', `The size must be greater than the current ${instance.volumeGb} GB.`);
  return enlargement(call, instance, sizeGb);
}

export function enlargement(scene: Scene, instance: Instance, sizeGb: number): Operation {
  return {
    kind: 'enlarge',
    status: 'MODIFYING',
    durationMs: scene.settings.durations.enlargeMs,
    effect: { do: 'enlarged', sizeGb },
    entities: {
      volume: {
        type: instance.volumeType,
        original_size: String(instance.volumeGb),
        target_size: String(sizeGb),
      },
    },
  };
}

function singleToHa(call: Call, instance: Instance, args: JsonObject): Operation {
  requireActive(instance);
  requireType(instance, 'Single');
  const zone = text(args, 'az_code_new_node');
  if (!ZONES.includes(zone)) throw refuse(404, 'DBS.200470', `The availability zone ${zone} does not exist.`);
  if (instance.engine === 'SQLServer') checkPassword(instance.engine, text(args, 'password'));
  if (!findFlavor(`${instance.flavor}.ha`))
    throw refuse(404, 'DBS.290002', 'There is no such flavor for HA.');
  const nodeId = `${call.random.hex(32)}no${factsOf(instance.engine).idSuffix}`;
  return {
    kind: 'single-to-ha',
    status: 'MODIFYING INSTANCE TYPE',
    durationMs: call.settings.durations.haMs,
    effect: { do: 'made-ha', zone, nodeId },
  };
}

const volumeSuffixes: Record<Instance['type'], string> = { Single: '', Ha: '.ha', Replica: '.rr' };

function changeVolume(call: Call, instance: Instance, args: JsonObject): Operation {
  requireActive(instance);
  const code = text(args, 'volume_code');
  const volumeType = ['cloudssd', 'essd'].find(
    (type) =>
      code === `rds.${factsOf(instance.engine).codeName}.volume.${type}${volumeSuffixes[instance.type]}`,
  );
  if (!volumeType) throw refuse(400, 'DBS.200026', `The volume code ${code} is invalid.`);
  const isOld = (other: Instance) =>
    other.replicaOf === instance.id && other.volumeType !== volumeType.toUpperCase();
  if (Object.values(call.world.instances).some(isOld))
    throw refuse(400, 'DBS.280001', 'The volume type of the read replicas must be changed first.');
  return {
    kind: 'change-volume',
    status: 'MODIFYING',
    durationMs: call.settings.durations.resizeMs,
    effect: { do: 'volume-changed', volumeType: volumeType.toUpperCase() },
  };
}
