// Networks by name or id. The cloud filters no names here, and subnet and group names may repeat.

import type { Clock } from '../clock.ts';
import { UserError } from '../errors.ts';
import { type Cached, createCached } from './cache.ts';
import type { Call } from './call.ts';
import type { Network } from './cloud.ts';
import { type Json, need, neededObjects, textOf } from './json.ts';
import { createLru } from './lru.ts';

type Named = { id: string; name: string };

const keepMs = 5 * 60_000;
/** A name that is not in the kept list may have been made a moment ago; look again, but not in a loop. */
const missKeepMs = 10_000;
const limit = 1_000;
const shownCandidates = 10;

export type Networks = {
  find(
    wanted: { vpc: string; subnet: string; securityGroup: string },
    remainingMs: () => number,
  ): Promise<Network>;
  securityGroup(wanted: string, remainingMs: () => number): Promise<string>;
  /** By the kept list alone; undefined when that does not tell. */
  knownSecurityGroup(wanted: string): string | undefined;
};

export function createNetworks(clock: Clock, callAlone: () => Call): Networks {
  const listed = (name: string, path: string, key: string, query: Record<string, string> = {}) =>
    createCached(clock, name, () => listAll(callAlone(), path, key, query));
  const vpcs = listed('the list of VPCs', '/v1/{project}/vpcs', 'vpcs');
  const groups = listed('the list of security groups', '/v2.0/security-groups', 'security_groups');
  const subnetsByVpc = createLru<Cached<Named[]>>(200);

  const pickWithin =
    (remainingMs: () => number) =>
    async (list: Cached<Named[]>, name: string, what: string, field: string) => {
      let hits = hitsIn(await list.get(keepMs, remainingMs()), name);
      if (hits.length === 0) hits = hitsIn(await list.get(missKeepMs, remainingMs()), name);
      return choose(hits, name, what, field);
    };
  const securityGroup = (wanted: string, remainingMs: () => number) =>
    pickWithin(remainingMs)(groups, wanted, 'security group', 'spec.securitygroup');

  return {
    securityGroup,
    knownSecurityGroup(wanted) {
      const [hit, ...others] = hitsIn(groups.peek(keepMs) ?? [], wanted);
      return others.length === 0 ? hit?.id : undefined;
    },
    async find(wanted, remainingMs) {
      const pick = pickWithin(remainingMs);
      const vpcId = await pick(vpcs, wanted.vpc, 'VPC', 'spec.vpc');
      // RDS wants the v1 id of the subnet, not its neutron_subnet_id.
      const subnets = subnetsByVpc.get(vpcId, () =>
        listed('the list of subnets', '/v1/{project}/subnets', 'subnets', { vpc_id: vpcId }),
      );
      const subnetId = await pick(subnets, wanted.subnet, `subnet of VPC ${wanted.vpc}`, 'spec.subnet');
      const securityGroupId = await securityGroup(wanted.securityGroup, remainingMs);
      return { vpcId, subnetId, securityGroupId };
    },
  };
}

const hitsIn = (list: readonly Named[], wanted: string): Named[] =>
  list.filter(({ id, name }) => id === wanted || name === wanted);

function choose(hits: readonly Named[], wanted: string, what: string, field: string): string {
  const hit = hits.find(({ id }) => id === wanted) ?? hits[0];
  if (hit === undefined) {
    const message = `NOT_FOUND: there is no ${what} with the name or id ${wanted}`;
    throw new UserError(message, { code: 'NOT_FOUND', outcome: 'refused', field });
  }
  if (hit.id !== wanted && hits.length > 1) {
    const ids = hits.map(({ id }) => id).sort();
    const shown = ids.slice(0, shownCandidates).join(', ');
    const message = `AMBIGUOUS: ${ids.length} times ${what} with the name ${wanted}; give one of the ids: ${shown}`;
    throw new UserError(message, { code: 'AMBIGUOUS', outcome: 'refused', field });
  }
  return hit.id;
}

/** Pages go on after the last id of the one before. */
async function listAll(
  call: Call,
  path: string,
  key: string,
  query: Record<string, string>,
): Promise<Named[]> {
  const found = new Map<string, Named>();
  const read = (body: Json) => neededObjects(body, key).map(readNamed);
  for (let marker: string | undefined; ; ) {
    const next = { ...query, limit, ...(marker === undefined ? {} : { marker }) };
    const { value: page } = await call({ service: 'vpc', method: 'GET', path, query: next, read });
    const sizeBefore = found.size;
    for (const item of page) found.set(item.id, item);
    marker = page.at(-1)?.id;
    if (page.length < limit || found.size === sizeBefore) return [...found.values()];
  }
}

function readNamed(row: Json): Named {
  return { id: need(textOf(row, 'id'), 'id'), name: textOf(row, 'name') ?? '' };
}
