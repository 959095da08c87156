// The evidence of a bad run, for people: the story, what every process said, and what cloud and cluster hold.
import { copyFileSync, globSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { OPERATOR_NAMESPACE } from '../cluster/hook-replica.ts';
import { NAMESPACE } from './people.ts';
import { planChaos } from './plan.ts';
import type { ChaosRun, RunOptions, Verdict } from './run.ts';

const JOURNALS = `/apis/coordination.k8s.io/v1/namespaces/${OPERATOR_NAMESPACE}/leases`;

/** Passwords stay out of it. */
export async function keepEvidence(run: ChaosRun, options: RunOptions, verdict: Verdict): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), `rds-pilot-chaos-${options.seed}-`));
  const keep = (name: string, content: unknown): void =>
    writeFileSync(join(folder, name), JSON.stringify(content, undefined, 1));
  writeFileSync(join(folder, 'story.txt'), run.story());
  keep('plan.json', planChaos(options));
  keep('violations.json', verdict.violations);
  const { secrets: _secrets, passwords: _passwords, ...seen } = verdict.evidence ?? {};
  for (const [name, content] of Object.entries(seen)) keep(`${name}.json`, content);
  const { kube } = run.stage;
  keep('journals.json', await kube.list(JOURNALS).catch(String));
  const secrets = await kube.list(`/api/v1/namespaces/${NAMESPACE}/secrets`).catch(() => []);
  keep(
    'secrets.json',
    secrets.map(({ metadata }) => metadata),
  );
  for (const log of globSync(join(run.stage.dir, '*.log'))) copyFileSync(log, join(folder, basename(log)));
  return folder;
}
