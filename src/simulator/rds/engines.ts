// What differs between the three engines: versions, ports, passwords, names in ids and codes.
import { refuse } from '../refusal.ts';
import type { Engine } from './types.ts';

export type EngineFacts = {
  engine: Engine;
  /** Last two characters of ids. */
  idSuffix: string;
  /** Part of spec codes. */
  codeName: string;
  jobName: string;
  user: string;
  versions: readonly string[];
  completeVersions: Readonly<Record<string, string>>;
  replicationModes: readonly string[];
  defaultPort: number;
  isPort(port: number): boolean;
  passwordSpecials: string;
};

const within = (port: number, low: number, high: number) => port >= low && port <= high;

const mysql: EngineFacts = {
  engine: 'MySQL',
  idSuffix: '01',
  codeName: 'mysql',
  jobName: 'Mysql',
  user: 'root',
  versions: ['5.7', '8.0'],
  completeVersions: { '5.7': '5.7.44', '8.0': '8.0.36' },
  replicationModes: ['async', 'semisync'],
  defaultPort: 3306,
  isPort: (port) => within(port, 1024, 65535) && port !== 12017 && port !== 33071,
  passwordSpecials: '~!@#$%^*-_=+?,()&',
};

const postgresql: EngineFacts = {
  engine: 'PostgreSQL',
  idSuffix: '03',
  codeName: 'pg',
  jobName: 'Postgresql',
  user: 'root',
  versions: ['13', '14', '15', '16', '17'],
  completeVersions: { '13': '13.15', '14': '14.12', '15': '15.7', '16': '16.4', '17': '17.2' },
  replicationModes: ['async', 'sync'],
  defaultPort: 5432,
  isPort: (port) => within(port, 2100, 9500),
  passwordSpecials: '~!@#$%^*-_=+?,',
};

const sqlserver: EngineFacts = {
  engine: 'SQLServer',
  idSuffix: '04',
  codeName: 'mssql',
  jobName: 'Sqlserver',
  user: 'rdsuser',
  versions: ['2017_SE', '2017_EE', '2019_SE', '2019_EE', '2022_SE', '2022_EE'],
  completeVersions: {},
  replicationModes: ['sync'],
  defaultPort: 1433,
  isPort: (port) => port === 1433 || (within(port, 2100, 9500) && port !== 5355 && port !== 5985),
  passwordSpecials: '~!@#$%^*-_+?,',
};

const all: Record<Engine, EngineFacts> = { MySQL: mysql, PostgreSQL: postgresql, SQLServer: sqlserver };

export const engines: readonly EngineFacts[] = Object.values(all);

export const factsOf = (engine: Engine): EngineFacts => all[engine];

/** In look-up paths the name may be in any case. */
export function engineInPath(name: string): EngineFacts {
  const found = engines.find(({ engine }) => engine.toLowerCase() === name.toLowerCase());
  if (!found) throw refuse(400, 'DBS.200040', `The database engine ${name} is not supported.`);
  return found;
}

const weakPasswords = new Set(['Password123!', 'Passw0rd!', 'Admin123!', 'Test1234!', 'Huawei@123']);

export function checkPassword(engine: Engine, password: string): void {
  const { passwordSpecials } = factsOf(engine);
  const chars = [...password];
  const kinds = [/[A-Z]/, /[a-z]/, /\d/].filter((kind) => kind.test(password)).length;
  const hasSpecial = chars.some((char) => passwordSpecials.includes(char));
  const isClean = chars.every((char) => /[A-Za-z0-9]/.test(char) || passwordSpecials.includes(char));
  const isLongEnough = password.length >= 8 && password.length <= 32;
  if (!isLongEnough || !isClean || kinds + (hasSpecial ? 1 : 0) < 3)
    throw refuse(400, 'DBS.200052', 'The password does not meet the requirements.');
  if (weakPasswords.has(password)) throw refuse(400, 'DBS.280246', 'The password is too weak.');
}

export function checkPort(engine: Engine, port: number): void {
  if (!factsOf(engine).isPort(port))
    throw refuse(400, 'DBS.280001', `Port ${port} is out of the range for ${engine}.`);
}
