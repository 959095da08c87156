// helm and kustomize, which render the packages in deploy/, as the Go module in tools/ pins them.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildOnce, type Log } from './go-build.ts';

export type PackageTools = { helm: string; kustomize: string };

const PIN = {
  module: join(import.meta.dirname, 'tools'),
  packages: { helm: 'helm.sh/helm/v4/cmd/helm', kustomize: 'sigs.k8s.io/kustomize/kustomize/v5' },
  ldflags: '-s -w',
};

export async function ensurePackageTools(log?: Log, env?: NodeJS.ProcessEnv): Promise<PackageTools> {
  const { helm = '', kustomize = '' } = await buildOnce(PIN, log, env);
  return { helm, kustomize };
}

export type Outcome = { ok: boolean; stdout: string; stderr: string };

const start = promisify(execFile);

/** A failure is an outcome: callers look at what was said. */
export async function runTool(
  tool: keyof PackageTools,
  args: string[],
  env: Record<string, string> = {},
): Promise<Outcome> {
  const tools = await ensurePackageTools();
  try {
    const { stdout, stderr } = await start(tools[tool], args, {
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
      maxBuffer: 64 * 1024 * 1024,
    });
    return { ok: true, stdout, stderr };
  } catch (error) {
    const { stdout = '', stderr = String(error) } = error as Partial<Outcome>;
    return { ok: false, stdout, stderr };
  }
}
