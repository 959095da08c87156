// Spec -> order for the cloud. Flavor, stock and network are checked before anything is claimed, so that a
// typo costs a condition and not an instance.

import { RetryableError, TerminalError, UserError } from '../../errors.ts';
import type { Cloud, Flavor, NewInstance } from '../../otc/cloud.ts';
import { instanceName } from '../../rds/names.ts';
import type { Observed } from '../decide/observed.ts';
import type { SyncDeps } from '../deps.ts';
import { restorePoint } from './restore-point.ts';

/** In memory mode a fresh process knows no claims: it treats every older Rds as claimed at its own start (C14). */
export async function prepareCreate(deps: SyncDeps, cloud: Cloud, o: Observed): Promise<NewInstance> {
  const since = deps.memorySince;
  if (since !== undefined && Date.parse(o.rds.metadata.creationTimestamp) < since) {
    const freeAt = since + deps.timing.settleMs;
    if (deps.clock.now() < freeAt) {
      throw new RetryableError(
        'this process started after the Rds was made and has no journal of the time before',
        {
          code: 'MEMORY_JOURNAL',
          outcome: 'refused',
          retryAfterSeconds: Math.ceil((freeAt - deps.clock.now()) / 1000),
        },
      );
    }
  }
  const { value } = o.password;
  if (value === undefined)
    throw new TerminalError('the root password is not known', { code: 'PASSWORD', outcome: 'refused' });
  return order(cloud, o, value);
}

/** Told before anything is claimed, instead of by a refusal afterwards. */
export async function checkQuota(cloud: Cloud): Promise<void> {
  const free = await cloud.freeInstances();
  if (free !== undefined && free <= 0) {
    throw new TerminalError('the quota of instances is used up; raise it or remove an instance', {
      code: 'QUOTA',
      outcome: 'refused',
    });
  }
}

async function order(cloud: Cloud, o: Observed, password: string): Promise<NewInstance> {
  const { spec } = o;
  const { namespace, name, uid } = o.rds.metadata;
  if (o.userSet.has('region') && spec.region !== cloud.region) {
    throw new UserError(
      `region ${spec.region} is not that of the credentials, which are for ${cloud.region}; leave it out or name a Secret with others in spec.credentialsSecretRef`,
      { code: 'REGION', outcome: 'refused', field: 'spec.region' },
    );
  }
  await checkFlavor(cloud, spec);
  await checkQuota(cloud);
  const source = o.restoreSource;
  const restore = source && !('missing' in source) ? await restorePoint(cloud, o, source) : undefined;
  const network = await cloud.network({
    vpc: spec.vpc,
    subnet: spec.subnet,
    securityGroup: spec.securitygroup,
  });
  return {
    name: instanceName(namespace, name, uid),
    engine: spec.datastoretype,
    version: spec.datastoreversion,
    replicationMode: spec.hamode ? (spec.hareplicationmode ?? defaultMode(spec.datastoretype)) : undefined,
    flavor: spec.flavorref,
    volumeType: spec.volumetype,
    volumeGb: spec.volumesize,
    // The default of the old operator fits one region only.
    region: cloud.region,
    availabilityZone: spec.availabilityzone,
    ...network,
    password,
    port: Number(spec.port),
    backupStartTime: spec.backupstarttime,
    // The cloud takes no 0 in a create; backups are switched off by a change of policy.
    backupKeepDays: Math.max(1, spec.backupkeepdays),
    restore,
  };
}

function defaultMode(engine: Observed['spec']['datastoretype']): string {
  return engine === 'SQLServer' ? 'sync' : 'async';
}

async function checkFlavor(cloud: Cloud, spec: Observed['spec']): Promise<void> {
  const flavors = await cloud.flavors(spec.datastoretype, spec.datastoreversion);
  const flavor = flavors.find(({ code }) => code === spec.flavorref);
  const zones = spec.availabilityzone.split(',').map((zone) => zone.trim());
  if (!flavor) {
    throw new UserError(
      `flavor ${spec.flavorref} does not exist for ${spec.datastoretype} ${spec.datastoreversion}; ${suggest(flavors, spec, zones)}`,
      { code: 'FLAVOR', outcome: 'refused', field: 'spec.flavorref' },
    );
  }
  const soldOut = zones.filter((zone) => flavor.stock[zone] !== 'normal');
  if (soldOut.length > 0) {
    throw new UserError(
      `flavor ${flavor.code} is not in stock in ${soldOut.join(', ')}; ${suggest(flavors, spec, zones)}`,
      { code: 'SOLDOUT', outcome: 'refused', field: 'spec.flavorref' },
    );
  }
}

/** The nearest flavors that would work, smallest first. */
function suggest(flavors: readonly Flavor[], spec: Observed['spec'], zones: readonly string[]): string {
  const mode = spec.hamode ? 'ha' : 'single';
  const fits = flavors
    .filter((flavor) => flavor.mode === mode && zones.every((zone) => flavor.stock[zone] === 'normal'))
    .sort((a, b) => a.vcpus - b.vcpus || a.ramGb - b.ramGb || a.code.localeCompare(b.code))
    .slice(0, 5);
  return fits.length > 0
    ? `possible are ${fits.map(({ code }) => code).join(', ')}`
    : 'no flavor is in stock there';
}
