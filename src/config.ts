// Environment -> frozen config, once. Every secret may come from a file (`<VAR>_FILE`), and every complaint
// names the variable and never its value.

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { settleSeconds, type Timing } from './rds/journal.ts';

export type AlarmConfig = {
  port: number;
  /** With the certificate of the hooks; otherwise somebody in front ends TLS. */
  isTls: boolean;
  /** Where else links of the message service may lead: `host` or `host:port`. */
  extraHosts: readonly string[];
  /** PEM of authorities that are trusted beside the public ones. */
  ca: string | undefined;
};

export type Config = {
  port: number;
  /** The receiver of alarms; undefined: there is none. */
  alarms: AlarmConfig | undefined;
  host: string;
  hookTokens: readonly string[];
  tls: { certFile: string; keyFile: string } | undefined;
  journal: 'lease' | 'memory';
  kubeconfig: string | undefined;
  podNamespace: string;
  jobImage: string;
  logLevel: string;
  timing: Timing;
  /** OS_* values, files already read; undefined when none is set. */
  otc: Record<string, string | undefined> | undefined;
  simulator: { port: number; speed: number } | undefined;
  /** Folder of manifests for the local loop. */
  localManifests: string | undefined;
};

export class ConfigError extends Error {}

type Env = Record<string, string | undefined>;

const OTC_VARIABLES = [
  'OS_AUTH_URL',
  'OS_REGION_NAME',
  'OS_PROJECT_NAME',
  'OS_PROJECT_ID',
  'OS_DOMAIN_NAME',
  'OS_USER_DOMAIN_NAME',
  'OS_USERNAME',
  'OS_PASSWORD',
  'OS_ACCESS_KEY',
  'OS_SECRET_KEY',
  'OS_TOKEN',
];

/** With the embedded simulator lag and late effects are known to be nil, so a demo is quick. */
const SIMULATED = { OTC_LIST_LAG_SECONDS: '0', OTC_LATE_EFFECT_SECONDS: '0', ABSENCE_GAP_SECONDS: '1' };

export function readConfig(env: Env): Config {
  const simulator = readSimulator(env);
  const bounds: Env = { ...(simulator ? SIMULATED : {}), ...env };
  const listLagSeconds = seconds(bounds, 'OTC_LIST_LAG_SECONDS', 120);
  const lateEffectSeconds = seconds(bounds, 'OTC_LATE_EFFECT_SECONDS', 60);
  const otc = Object.fromEntries(OTC_VARIABLES.map((name) => [name, settingOf(env, name)]));
  const hasOtc = Object.values(otc).some((value) => value !== undefined);
  if (!hasOtc && !simulator) {
    throw new ConfigError(
      'no credentials: set OS_AUTH_URL, OS_REGION_NAME, OS_PROJECT_NAME, OS_DOMAIN_NAME, OS_USERNAME and OS_PASSWORD ' +
        '(or OS_ACCESS_KEY and OS_SECRET_KEY), or OTC_SIMULATOR=embedded to try it without a cloud',
    );
  }
  const tls = readTls(env);
  return Object.freeze({
    port: port(env, 'PORT', 8080),
    host: env.HOST ?? '0.0.0.0',
    hookTokens: readHookTokens(env),
    tls,
    alarms: readAlarms(env, tls !== undefined),
    journal: readJournalMode(env),
    kubeconfig: env.KUBECONFIG || undefined,
    podNamespace: env.POD_NAMESPACE ?? 'rds-pilot',
    jobImage: env.JOB_IMAGE ?? 'rds-pilot:latest',
    logLevel: readLogLevel(env),
    timing: {
      settleMs: settleSeconds({ listLagSeconds, lateEffectSeconds }) * 1000,
      absenceGapMs: seconds(bounds, 'ABSENCE_GAP_SECONDS', 30) * 1000,
    },
    // Asked for the simulator, and nothing else: its small bounds must never meet a real cloud.
    otc: hasOtc && !simulator ? otc : undefined,
    simulator,
    localManifests: env.LOCAL_MANIFESTS || undefined,
  });
}

function settingOf(env: Env, name: string): string | undefined {
  const file = env[`${name}_FILE`];
  if (!file) return env[name] || undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new ConfigError(`${name}_FILE: the file cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function number(env: Env, name: string, fallback: number, max: number): number {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!Number.isFinite(value) || value < 0 || value > max) {
    throw new ConfigError(`${name}: expected a number from 0 to ${max}`);
  }
  return value;
}

const seconds = (env: Env, name: string, fallback: number) => number(env, name, fallback, 86_400);

function port(env: Env, name: string, fallback: number): number {
  const value = number(env, name, fallback, 65_535);
  if (!/^\d*$/.test(env[name] ?? '')) throw new ConfigError(`${name}: expected a whole number`);
  return value;
}

/** Set but empty is not "no token": it would open the hooks to everyone. */
function readHookTokens(env: Env): string[] {
  const isSet = Boolean(env.HOOK_TOKEN || env.HOOK_TOKEN_FILE);
  const tokens = (settingOf(env, 'HOOK_TOKEN') ?? '')
    .split(',')
    .map((token) => token.trim())
    .filter(Boolean);
  if (isSet && tokens.length === 0) throw new ConfigError('HOOK_TOKEN: there is no token in it');
  return tokens;
}

function readLogLevel(env: Env): string {
  const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
  const level = env.LOG_LEVEL || 'info';
  if (!levels.includes(level)) throw new ConfigError(`LOG_LEVEL: expected one of ${levels.join(', ')}`);
  return level;
}

function readTls(env: Env): Config['tls'] {
  const { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile } = env;
  if (!certFile && !keyFile) return undefined;
  if (!certFile || !keyFile) throw new ConfigError('TLS_CERT_FILE and TLS_KEY_FILE go together');
  return { certFile, keyFile };
}

function readAlarms(env: Env, hasTls: boolean): AlarmConfig | undefined {
  if (!env.ALARM_PORT) return undefined;
  const { ALARM_TLS: mode = '' } = env;
  if (!['', 'on', 'off'].includes(mode)) throw new ConfigError('ALARM_TLS: expected on or off');
  if (mode === 'on' && !hasTls) throw new ConfigError('ALARM_TLS=on needs TLS_CERT_FILE and TLS_KEY_FILE');
  return {
    port: port(env, 'ALARM_PORT', 8081),
    isTls: hasTls && mode !== 'off',
    extraHosts: readExtraHosts(env),
    ca: readAuthorities(env),
  };
}

function readExtraHosts(env: Env): string[] {
  const { SMN_EXTRA_HOSTS: text = '' } = env;
  const hosts = text
    .split(',')
    .map((host) => host.trim())
    .filter(Boolean);
  const odd = hosts.find(
    (host) => !URL.canParse(`https://${host}`) || new URL(`https://${host}`).host !== host,
  );
  if (odd === undefined) return hosts;
  throw new ConfigError(
    'SMN_EXTRA_HOSTS: expected host or host:port in lower case, separated by commas, no patterns',
  );
}

function readAuthorities(env: Env): string | undefined {
  const { SMN_CA_FILE: file } = env;
  if (!file) return undefined;
  try {
    const pem = readFileSync(file, 'utf8');
    new X509Certificate(pem);
    return pem;
  } catch {
    throw new ConfigError('SMN_CA_FILE: there is no certificate (PEM) in this file, or it cannot be read');
  }
}

function readJournalMode(env: Env): Config['journal'] {
  const { JOURNAL: mode } = env;
  if (mode !== undefined && mode !== '' && mode !== 'lease' && mode !== 'memory') {
    throw new ConfigError('JOURNAL: expected lease or memory');
  }
  const hasCluster = Boolean(env.KUBECONFIG || env.KUBERNETES_SERVICE_HOST);
  return mode === 'lease' || mode === 'memory' ? mode : hasCluster ? 'lease' : 'memory';
}

function readSimulator(env: Env): Config['simulator'] {
  const { OTC_SIMULATOR: mode } = env;
  if (!mode) return undefined;
  if (mode !== 'embedded') throw new ConfigError('OTC_SIMULATOR: the only value is embedded');
  return {
    port: port(env, 'SIMULATOR_PORT', 9090),
    speed: number(env, 'SIMULATOR_SPEED', 60, 1_000_000),
  };
}
