// The flags of `npm run simulator`. A wrong one gets a sentence, not a stack.
import { parseArgs } from 'node:util';
import type { SimulatorOptions } from './options.ts';

type Arguments = {
  host: string;
  port: number;
  stateFile: string | undefined;
  options: SimulatorOptions;
};

export class BadArgument extends Error {
  override readonly name = 'BadArgument';
}

export const USAGE = `Usage: npm run simulator -- [flags]
  --port 9090        port to listen on (0 = any)
  --host 127.0.0.1   address to listen on
  --speed 1          divides the durations of operations
  --network name     one more VPC, subnet and security group; may be repeated
  --state file       keep the simulated cloud in this file
  --list-lag 0       seconds until a new instance shows up in lists
  --seed 1           seed of all chance
`;

export function readArguments(args: string[]): Arguments {
  const values = parse(args);
  return {
    host: values.host,
    port: number('port', values.port, 0, 65535),
    stateFile: values.state,
    options: {
      speed: number('speed', values.speed, 0.001, 1e6),
      networks: values.network.map(networkName),
      listLagMs: number('list-lag', values['list-lag'], 0, 86_400) * 1000,
      seed: number('seed', values.seed, 0, 2 ** 31 - 1),
    },
  };
}

function parse(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        host: { type: 'string', default: '127.0.0.1' },
        port: { type: 'string', default: '9090' },
        speed: { type: 'string', default: '1' },
        network: { type: 'string', multiple: true, default: [] },
        state: { type: 'string' },
        'list-lag': { type: 'string', default: '0' },
        seed: { type: 'string', default: '1' },
      },
    });
    return values;
  } catch (error) {
    throw new BadArgument(error instanceof Error ? error.message : String(error));
  }
}

function number(name: string, raw: string, min: number, max: number): number {
  const value = Number(raw);
  if (raw.trim() === '' || !(value >= min && value <= max))
    throw new BadArgument(`--${name} must be a number from ${min} to ${max}, not "${raw}".`);
  return value;
}

function networkName(name: string): string {
  if (!/^[A-Za-z0-9_.-]{1,64}$/.test(name))
    throw new BadArgument(`--network must be a name of letters, digits, "_", "." and "-", not "${name}".`);
  return name;
}
