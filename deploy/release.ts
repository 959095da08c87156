// The parts of a release that need no registry; the workflow runs them, and so can anybody:
//   node deploy/release.ts check v0.1.0     refuses a tag that does not fit the version and the changelog
//   node deploy/release.ts prepare OUT      image tree, SBOM, chart, plugin and checksums in OUT (HELM names the helm to use)
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { buildImageTree } from './image-tree.ts';
import { buildPlugin } from './plugin.ts';

const REPOSITORY = join(import.meta.dirname, '..');
const CHART = join(import.meta.dirname, 'chart');

type Env = Record<string, string | undefined>;

const read = (repository: string, path: string): string => readFileSync(join(repository, path), 'utf8');
const versionOf = (repository: string): string => JSON.parse(read(repository, 'package.json')).version;

/** Why this tag cannot be released; empty when it can. */
export function releaseProblems(tag: string, repository = REPOSITORY): string[] {
  const version = versionOf(repository);
  const chart = read(repository, 'deploy/chart/Chart.yaml');
  const section = new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d{2}-\\d{2}$`, 'm');
  const rules: [isBroken: boolean, problem: string][] = [
    [tag !== `v${version}`, `the tag is ${tag} and package.json says ${version}: tag v${version}`],
    [
      !chart.includes(`\nversion: ${version}\n`) || !chart.includes(`\nappVersion: "${version}"\n`),
      `deploy/chart/Chart.yaml has another version: set version and appVersion to ${version}`,
    ],
    [
      !section.test(read(repository, 'CHANGELOG.md')),
      `CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD": move what is under Unreleased there`,
    ],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, problem]) => problem);
}

function packChart(out: string, env: Env): void {
  const stage = mkdtempSync(join(tmpdir(), 'rds-pilot-chart-'));
  try {
    const chart = join(stage, 'rds-pilot');
    cpSync(CHART, chart, { recursive: true });
    // The repository knows no registry; the release does.
    if (env.IMAGE) {
      const values = join(chart, 'values.yaml');
      writeFileSync(
        values,
        readFileSync(values, 'utf8').replace('repository: rds-pilot', `repository: ${env.IMAGE}`),
      );
    }
    execFileSync(env.HELM ?? 'helm', ['package', chart, '--destination', out], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  } finally {
    rmSync(stage, { recursive: true });
  }
}

/** As a user installs it: `npm install --global kubectl-rds-1.2.3.tgz`. */
function packPlugin(out: string): void {
  const stage = mkdtempSync(join(tmpdir(), 'rds-pilot-plugin-'));
  try {
    buildPlugin(stage);
    execFileSync('npm', ['pack', stage, '--pack-destination', out, '--silent'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  } finally {
    rmSync(stage, { recursive: true });
  }
}

type Locked = { dev?: boolean; devDependencies?: unknown };

/**
 * From the lockfile, without what only development needs. `npm sbom --omit=dev` would also leave out packages that both
 * need.
 */
function billOfMaterials(): string {
  const stage = mkdtempSync(join(tmpdir(), 'rds-pilot-sbom-'));
  const project = join(stage, 'rds-pilot');
  try {
    mkdirSync(project);
    const { devDependencies: _, ...manifest } = JSON.parse(read(REPOSITORY, 'package.json'));
    const lock = JSON.parse(read(REPOSITORY, 'package-lock.json')) as { packages: Record<string, Locked> };
    delete lock.packages['']?.devDependencies;
    lock.packages = Object.fromEntries(Object.entries(lock.packages).filter(([, { dev }]) => !dev));
    writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(project, 'package-lock.json'), JSON.stringify(lock));
    const flags = ['--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
    return execFileSync('npm', ['sbom', ...flags], { cwd: project, encoding: 'utf8' });
  } finally {
    rmSync(stage, { recursive: true });
  }
}

/** Returns the files to publish. */
export function prepareRelease(out: string, env: Env = process.env): string[] {
  const version = versionOf(REPOSITORY);
  const tree = join(out, 'rds-pilot');
  mkdirSync(out, { recursive: true });
  buildImageTree(tree);
  const sbom = join(out, `rds-pilot-${version}.cdx.json`);
  writeFileSync(sbom, billOfMaterials());
  packChart(out, env);
  packPlugin(out);
  const files = [sbom, join(out, `rds-pilot-${version}.tgz`), join(out, `kubectl-rds-${version}.tgz`)];
  const sums = files.map(
    (file) => `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${basename(file)}\n`,
  );
  writeFileSync(join(out, 'SHA256SUMS'), sums.join(''));
  return [...files, join(out, 'SHA256SUMS')];
}

if (import.meta.main) {
  const [command, argument] = process.argv.slice(2);
  if (command === 'check' && argument) {
    const problems = releaseProblems(argument);
    for (const problem of problems) console.error(problem);
    process.exitCode = problems.length === 0 ? 0 : 1;
  } else if (command === 'prepare' && argument) {
    console.log(prepareRelease(argument).join('\n'));
  } else {
    console.error('usage: node deploy/release.ts check TAG | prepare OUT');
    process.exitCode = 2;
  }
}
