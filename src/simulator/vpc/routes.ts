// The calls of VPC: Huawei's v1 and Neutron's v2.0 side by side.
import type { Endpoint, Route } from '../protocol.ts';
import * as lookups from './lookups.ts';

const get = (template: string, action: string, answer: Endpoint): Route => ({
  service: 'vpc',
  method: 'GET',
  template,
  action,
  answer,
});

export const vpcRoutes: Route[] = [
  { ...get('/', '', lookups.showNeutronVersions), isOpen: true },
  get('/v1/{project}/vpcs', 'vpc:vpcs:list', lookups.listVpcs),
  get('/v1/{project}/vpcs/{id}', 'vpc:vpcs:get', lookups.showVpc),
  get('/v1/{project}/subnets', 'vpc:subnets:get', lookups.listSubnets),
  get('/v1/{project}/subnets/{id}', 'vpc:subnets:get', lookups.showSubnet),
  get('/v1/{project}/security-groups', 'vpc:securityGroups:get', lookups.listSecurityGroups),
  get('/v1/{project}/security-groups/{id}', 'vpc:securityGroups:get', lookups.showSecurityGroup),
  get('/v1/{project}/publicips', 'vpc:publicIps:list', lookups.listPublicIps),
  get('/v2.0/security-groups', 'vpc:securityGroups:get', lookups.listSecurityGroups),
  get('/v2.0/security-groups/{id}', 'vpc:securityGroups:get', lookups.showSecurityGroup),
  get('/v2.0/networks', 'vpc:networks:get', lookups.listNeutronNetworks),
  get('/v2.0/networks/{id}', 'vpc:networks:get', lookups.showNeutronNetwork),
  get('/v2.0/routers', 'vpc:routers:get', lookups.listNeutronRouters),
  get('/v2.0/routers/{id}', 'vpc:routers:get', lookups.showNeutronRouter),
];
