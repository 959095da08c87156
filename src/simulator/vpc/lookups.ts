// Look-ups of networks by id. The v1 lists know no name filter: clients list all and filter themselves.
import { queryInteger } from '../fields.ts';
import { type Answer, type Call, json, param } from '../protocol.ts';
import { refuse } from '../refusal.ts';
import { type Network, networksOf } from './networks.ts';

const networks = (call: Call): Network[] => networksOf(call.settings, call.identity.projectId ?? '');

const vpcShape = (network: Network) => ({
  id: network.vpcId,
  name: network.name,
  description: '',
  cidr: network.cidr,
  status: 'OK',
  routes: [],
  enable_shared_snat: false,
});

const subnetShape = (network: Network) => ({
  id: network.subnetId,
  name: network.name,
  description: '',
  cidr: network.cidr,
  gateway_ip: network.gatewayIp,
  dhcp_enable: true,
  primary_dns: '100.125.4.25',
  secondary_dns: '100.125.129.199',
  dnsList: ['100.125.4.25', '100.125.129.199'],
  availability_zone: '',
  vpc_id: network.vpcId,
  status: 'ACTIVE',
  neutron_network_id: network.subnetId,
  neutron_subnet_id: network.neutronSubnetId,
});

const groupShape = (call: Call, network: Network) => ({
  id: network.securityGroupId,
  name: network.name,
  description: '',
  tenant_id: call.identity.projectId,
  project_id: call.identity.projectId,
  vpc_id: network.vpcId,
  security_group_rules: [],
});

/** Marker paging: rows after the one with this id. */
function page<T extends { id: string }>(call: Call, rows: T[]): T[] {
  const limit = queryInteger(call.query, 'limit', { default: 2000, min: 0, max: 2000 });
  const marker = call.query.get('marker');
  const start = marker ? rows.findIndex((row) => row.id === marker) + 1 : 0;
  if (marker && start === 0) return [];
  return rows.slice(start, start + limit);
}

/** Rows that agree with every one of these query parameters, when given. */
function filtered<T extends Record<string, unknown>>(call: Call, rows: T[], ...names: string[]): T[] {
  return rows.filter((row) =>
    names.every((name) => !call.query.get(name) || row[name] === call.query.get(name)),
  );
}

export const listVpcs = (call: Call): Answer =>
  json(200, { vpcs: page(call, filtered(call, networks(call).map(vpcShape), 'id')) });

export const listSubnets = (call: Call): Answer =>
  json(200, { subnets: page(call, filtered(call, networks(call).map(subnetShape), 'vpc_id')) });

export const listSecurityGroups = (call: Call): Answer => {
  const rows = networks(call).map((network) => groupShape(call, network));
  return json(200, { security_groups: page(call, filtered(call, rows, 'name', 'id', 'vpc_id')) });
};

const neutronNetwork = (network: Network) => ({
  id: network.subnetId,
  name: network.name,
  subnets: [network.neutronSubnetId],
  status: 'ACTIVE',
  admin_state_up: true,
});

const neutronRouter = (network: Network) => ({
  id: network.vpcId,
  name: network.name,
  status: 'ACTIVE',
  admin_state_up: true,
});

export const listNeutronNetworks = (call: Call): Answer =>
  json(200, { networks: page(call, filtered(call, networks(call).map(neutronNetwork), 'name', 'id')) });

export const listNeutronRouters = (call: Call): Answer =>
  json(200, { routers: page(call, filtered(call, networks(call).map(neutronRouter), 'name', 'id')) });

function one<T extends { id: string }>(call: Call, rows: T[], name: string, code: string): Answer {
  const row = rows.find(({ id }) => id === param(call, 'id'));
  if (!row) throw refuse(404, code, `${name} ${param(call, 'id')} could not be found.`);
  return json(200, { [name]: row });
}

export const showVpc = (call: Call) => one(call, networks(call).map(vpcShape), 'vpc', 'VPC.0003');
export const showSubnet = (call: Call) => one(call, networks(call).map(subnetShape), 'subnet', 'VPC.0202');
export const showNeutronNetwork = (call: Call) =>
  one(call, networks(call).map(neutronNetwork), 'network', 'NetworkNotFound');
export const showNeutronRouter = (call: Call) =>
  one(call, networks(call).map(neutronRouter), 'router', 'RouterNotFound');
export const showSecurityGroup = (call: Call) =>
  one(
    call,
    networks(call).map((network) => groupShape(call, network)),
    'security_group',
    'SecurityGroupNotFound',
  );

export const listPublicIps = (): Answer => json(200, { publicips: [] });

export const showNeutronVersions = (call: Call): Answer =>
  json(200, {
    versions: [{ id: 'v2.0', status: 'CURRENT', links: [{ rel: 'self', href: `${call.origin}/vpc/v2.0` }] }],
  });
