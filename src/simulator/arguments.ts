// The flags of `npm run simulator`. A wrong one gets a sentence, not a stack.
import { parseArgs } from 'node:util';
import type { SimulatorOptions } from './options.ts';
import { readLogin, type Servers } from './real/open-host.ts';

type Arguments = {
  host: string;
  port: number;
  stateFile: string | undefined;
  real: {
    mysql: Servers | undefined;
    postgres: Servers | undefined;
    listenAddresses: string[];
    folder: string | undefined;
  };
  options: SimulatorOptions;
};

export class BadArgument extends Error {
  override readonly name = 'BadArgument';
}

export const USAGE = `Usage: npm run simulator -- [flags]
  --port 9090        port to listen on (0 = any)
  --host 127.0.0.1   address to listen on
  --speed 1          divides the durations of operations and the periods of metrics
  --network name     one more VPC, subnet and security group; may be repeated
  --state file       keep the simulated cloud in this file
  --list-lag 0       seconds until a new instance shows up in lists
  --seed 1           seed of all chance
  --rate 0           calls a second, beyond which 429 is answered (0 = no limit)

Real databases behind the instances (docs/simulator.md):
  --mysql own | user:password@host:port      a private MariaDB for each instance, or the admin login
                                             of a server for one instance; the latter may be repeated
  --postgres own | user:password@host:port   the same with PostgreSQL
  --listen-address ip                        where instances are reached; may be repeated
  --data folder                              servers and dumps; kept with --state, else removed at the end
`;

export function readArguments(args: string[]): Arguments {
  const values = parse(args);
  return {
    host: values.host,
    port: number('port', values.port, 0, 65535),
    stateFile: values.state,
    real: {
      mysql: servers('mysql', values.mysql),
      postgres: servers('postgres', values.postgres),
      listenAddresses: values['listen-address'],
      folder: values.data,
    },
    options: {
      speed: number('speed', values.speed, 0.001, 1e6),
      networks: values.network.map(networkName),
      listLagMs: number('list-lag', values['list-lag'], 0, 86_400) * 1000,
      seed: number('seed', values.seed, 0, 2 ** 31 - 1),
      ratePerSecond: number('rate', values.rate, 0, 1e6),
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
        rate: { type: 'string', default: '0' },
        mysql: { type: 'string', multiple: true, default: [] },
        postgres: { type: 'string', multiple: true, default: [] },
        'listen-address': { type: 'string', multiple: true, default: [] },
        data: { type: 'string' },
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

/** The value may hold a password, so it is not repeated. */
function servers(flag: string, values: string[]): Servers | undefined {
  if (values.length === 0) return undefined;
  if (values.length === 1 && values[0] === 'own') return 'own';
  return values.map((value) => {
    const login = readLogin(value);
    if (!login) throw new BadArgument(`--${flag} must be "own" or user:password@host:port.`);
    return login;
  });
}

function networkName(name: string): string {
  if (!/^[A-Za-z0-9_.-]{1,64}$/.test(name))
    throw new BadArgument(`--network must be a name of letters, digits, "_", "." and "-", not "${name}".`);
  return name;
}
