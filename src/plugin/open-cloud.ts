// The cloud by the user's own OS_* variables: only for commands that look there, and only to read.

import { readFileSync } from 'node:fs';
import { CloudError, TerminalError } from '../errors.ts';
import type { Cloud, Credentials, Instance } from '../otc/cloud.ts';
import { readCredentials } from '../otc/credentials.ts';
import { createOpenCloud } from '../otc/open.ts';
import type { World } from './command.ts';
import { EXIT, Failure } from './failure.ts';
import { createNodeSend } from './http.ts';

/** What a command can ask; no writes. */
export type CloudView = Pick<Cloud, 'snapshot' | 'alarms'> & { credentials: Credentials };

const BUDGET_MS = 60_000;

export const hasCloudLogin = ({ env }: Pick<World, 'env'>): boolean => Boolean(env.OS_AUTH_URL);

export function openCloudView({ env, clock }: World): CloudView {
  const credentials = credentialsOf(env);
  const ca = env.OS_CACERT ? fileText('OS_CACERT', env.OS_CACERT) : undefined;
  const open = createOpenCloud({ send: createNodeSend(ca), clock, random: Math.random });
  const began = clock.elapsed();
  const cloud = open(credentials, { remainingMs: () => BUDGET_MS - (clock.elapsed() - began) });
  return {
    credentials,
    snapshot: (age) => told(cloud.snapshot(age)),
    alarms: (age) => told(cloud.alarms(age)),
  };
}

export async function instancesOf(cloud: CloudView): Promise<Instance[]> {
  return [...(await cloud.snapshot(0)).byId.values()].sort((a, b) => a.name.localeCompare(b.name));
}

function credentialsOf(env: World['env']): Credentials {
  const values: World['env'] = { ...env };
  for (const name of ['OS_PASSWORD', 'OS_SECRET_KEY', 'OS_TOKEN']) {
    const file = env[`${name}_FILE`];
    if (!values[name] && file) values[name] = fileText(`${name}_FILE`, file);
  }
  try {
    return readCredentials(values);
  } catch (error) {
    throw new Failure(
      EXIT.usage,
      `The cloud needs your login: ${(error as Error).message.replace(/^CREDENTIALS: /, '')}.`,
      'Set the OS_* variables of your project, as for the openstack command (docs/operations.md).',
    );
  }
}

function fileText(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new Failure(EXIT.usage, `${name} names a file that cannot be read.`);
  }
}

async function told<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    const code = error instanceof TerminalError ? EXIT.refused : EXIT.unreachable;
    throw new Failure(
      code,
      `The cloud cannot be asked: ${error.message}`,
      'Check OS_AUTH_URL, the login and the project.',
    );
  }
}
