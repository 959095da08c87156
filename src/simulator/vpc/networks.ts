// The networks that exist from the start: `default` and those asked for, in every project.
import { fixedUuid } from '../fixed-id.ts';
import type { Settings } from '../options.ts';

export type Network = {
  name: string;
  cidr: string;
  gatewayIp: string;
  /** First two numbers of each address in it. */
  prefix: string;
  vpcId: string;
  subnetId: string;
  neutronSubnetId: string;
  securityGroupId: string;
};

export function networksOf(settings: Settings, projectId: string): Network[] {
  return ['default', ...new Set(settings.networks.filter((name) => name !== 'default'))].map(
    (name, index) => {
      const prefix = index === 0 ? '192.168' : `10.${index}`;
      const id = (kind: string) => fixedUuid(`${kind} ${projectId} ${name}`);
      return {
        name,
        cidr: `${prefix}.0.0/16`,
        gatewayIp: `${prefix}.0.1`,
        prefix,
        vpcId: id('vpc'),
        subnetId: id('subnet'),
        neutronSubnetId: id('neutron-subnet'),
        securityGroupId: id('security-group'),
      };
    },
  );
}

const FIRST_HOST = 10;

/** The lowest free address of the subnet. */
export function freeAddress(network: Network, taken: ReadonlySet<string>): string {
  for (let host = FIRST_HOST; ; host++) {
    const ip = `${network.prefix}.${host >> 8}.${host & 255}`;
    if ((host & 255) !== 0 && (host & 255) !== 255 && !taken.has(ip)) return ip;
  }
}
