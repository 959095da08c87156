// What can be ordered: versions, flavors, storage, quotas. Nothing here changes anything.
import { ZONES } from '../demo-account.ts';
import { fixedUuid } from '../fixed-id.ts';
import { type Answer, type Call, json, param } from '../protocol.ts';
import { BadField, refuse } from '../refusal.ts';
import { engineInPath } from './engines.ts';
import { type Flavor, findFlavor, flavorId, flavors } from './flavors.ts';
import { instanceOf } from './guards.ts';
import { usedGb } from './storage-pressure.ts';

export function listDatastores(call: Call): Answer {
  const { engine, versions } = engineInPath(param(call, 'db'));
  return json(200, {
    dataStores: versions.map((name) => ({ id: fixedUuid(`datastore ${engine} ${name}`), name })),
  });
}

export function listFlavors(call: Call): Answer {
  const { engine, versions } = engineInPath(param(call, 'db'));
  const version = call.query.get('version_name');
  const code = call.query.get('spec_code');
  if (version && !versions.includes(version))
    throw refuse(400, 'DBS.200041', `${engine} ${version} is not supported.`);
  const rows = flavors.filter((flavor) => flavor.engine === engine && (!code || flavor.code === code));
  return json(200, { flavors: rows.map((flavor) => flavorShape(call, flavor)) });
}

const flavorShape = (call: Call, flavor: Flavor) => ({
  id: flavorId(flavor.code),
  spec_code: flavor.code,
  vcpus: String(flavor.vcpus),
  ram: flavor.ramGb,
  version_name: flavor.versions,
  instance_mode: flavor.mode,
  az_status: stockOf(call, flavor),
  az_desc: Object.fromEntries(ZONES.map((zone, index) => [zone, `az${index + 1}`])),
  group_type: flavor.group,
});

function stockOf(call: Call, flavor: Flavor): Record<string, string> {
  if (!call.faults.hasWorld('sold-out', flavor.code)) return flavor.stock;
  return Object.fromEntries(ZONES.map((zone) => [zone, 'sellout']));
}

export function listResizeFlavors(call: Call): Answer {
  const instance = instanceOf(call);
  const current = findFlavor(instance.flavor);
  const fitting = flavors.filter(
    (flavor) => flavor.engine === instance.engine && flavor.mode === current?.mode && flavor !== current,
  );
  const groups = [...new Set(fitting.map(({ group }) => group))];
  return json(200, {
    flavor_groups: groups.map((group) => ({
      group_type: group,
      compute_flavors: fitting
        .filter((flavor) => flavor.group === group)
        .map((flavor) => ({
          id: flavorId(flavor.code),
          code: flavor.code,
          vcpus: String(flavor.vcpus),
          ram: String(flavor.ramGb),
          az_status: Object.fromEntries(
            ZONES.map((zone) => [zone, flavor.stock[zone] === 'normal' ? 'normal' : 'abandon']),
          ),
        })),
    })),
  });
}

export function listStorageTypes(call: Call): Answer {
  const { engine, versions } = engineInPath(param(call, 'db'));
  const version = call.query.get('version_name');
  if (!version) throw new BadField('version_name', 'it is missing');
  if (!versions.includes(version)) throw refuse(400, 'DBS.200041', `${engine} ${version} is not supported.`);
  const names = ['CLOUDSSD', 'ESSD', 'ULTRAHIGH', 'COMMON'];
  return json(200, {
    storage_type: names.map((name) => ({
      name,
      az_status: Object.fromEntries(ZONES.map((zone) => [zone, 'normal'])),
      support_compute_group_type: ['normal', 'general', 'dedicated'],
    })),
  });
}

export function showUsedSpace(call: Call): Answer {
  const instance = instanceOf(call);
  if (instance.engine === 'PostgreSQL')
    throw refuse(400, 'DBS.200040', 'PostgreSQL does not support this call.');
  const master = instance.nodes.find(({ role }) => role !== 'slave');
  return json(200, { node_id: master?.id ?? '', used: usedGb(instance, call.now).toFixed(2) });
}

export function showQuotas(call: Call): Answer {
  const used = Object.values(call.world.instances).filter(
    ({ projectId }) => projectId === call.identity.projectId,
  );
  return json(200, {
    quotas: { resources: [{ type: 'instance', quota: call.settings.instanceQuota, used: used.length }] },
  });
}

export const listCollations = (): Answer =>
  json(200, {
    charSets: [
      'SQL_Latin1_General_CP1_CI_AS',
      'Latin1_General_CI_AS',
      'German_PhoneBook_CI_AS',
      'Chinese_PRC_CI_AS',
    ],
  });
