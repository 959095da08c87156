// The addresses of this machine that instances can be reached at.
import { networkInterfaces } from 'node:os';

const LINK_LOCAL = '169.254.';

/** IPv4 and not loopback: a cluster refuses loopback addresses in its endpoints. */
export const machineAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flat()
    .filter((address) => address !== undefined)
    .filter(
      ({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith(LINK_LOCAL),
    )
    .map(({ address }) => address);

/** The first address where the port is free. */
export function freePlace(
  addresses: readonly string[],
  port: number,
  taken: readonly { ip: string; port: number }[],
): { ip: string } | { problem: string } {
  const ip = addresses.find((address) => !taken.some((other) => other.ip === address && other.port === port));
  if (ip) return { ip };
  const at = addresses.join(', ');
  const problem = `Port ${port} is in use by another really running instance at each address of the simulator (${at}): choose another port, or start it with one more --listen-address.`;
  return { problem };
}
