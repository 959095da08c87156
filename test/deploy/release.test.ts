import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { prepareRelease, releaseProblems } from '../../deploy/release.ts';
import { CHECKOUT } from '../cluster/node-process.ts';
import { ensurePackageTools } from '../cluster/package-tools.ts';

t.setTimeout(1_800_000);

const { version } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as { version: string };

t.test('only a tag that fits version, chart and changelog is released', async (t) => {
  const repository = t.testdir({});
  mkdirSync(join(repository, 'deploy/chart'), { recursive: true });
  for (const file of ['package.json', 'deploy/chart/Chart.yaml'])
    cpSync(join(CHECKOUT, file), join(repository, file));
  const changelog = (text: string) => writeFileSync(join(repository, 'CHANGELOG.md'), text);
  changelog(`# Changelog\n\n## [${version}] - 2026-11-16\n`);
  t.same(releaseProblems(`v${version}`, repository), []);
  t.match(releaseProblems('v9.9.9', repository), [/tag v/]);
  changelog('# Changelog\n\n## [Unreleased]\n');
  t.match(releaseProblems(`v${version}`, repository), [/CHANGELOG\.md has no section/]);
  writeFileSync(join(repository, 'deploy/chart/Chart.yaml'), 'version: 0.0.1\n');
  t.match(releaseProblems(`v${version}`, repository), [/Chart\.yaml/, /CHANGELOG/]);
});

type Bom = { bomFormat: string; components: { name: string; version: string; purl: string }[] };

t.test('a dry run makes chart, SBOM, plugin and checksums', async (t) => {
  const { helm } = await ensurePackageTools();
  const out = t.testdir({});
  const files = prepareRelease(out, { HELM: helm, IMAGE: 'registry.example.org/team/rds-pilot' });
  t.same(
    files.map((file) => basename(file)),
    [`rds-pilot-${version}.cdx.json`, `rds-pilot-${version}.tgz`, `kubectl-rds-${version}.tgz`, 'SHA256SUMS'],
  );
  const digest = createHash('sha256')
    .update(readFileSync(files[1] ?? ''))
    .digest('hex');
  t.ok(readFileSync(join(out, 'SHA256SUMS'), 'utf8').includes(`${digest}  rds-pilot-${version}.tgz\n`));
  const values = execFileSync('tar', [
    'xzOf',
    join(out, `rds-pilot-${version}.tgz`),
    'rds-pilot/values.yaml',
  ]);
  t.match(values.toString(), /repository: registry\.example\.org\/team\/rds-pilot\n/);

  const { bomFormat, components } = JSON.parse(readFileSync(files[0] ?? '', 'utf8')) as Bom;
  t.equal(bomFormat, 'CycloneDX');
  const listed = new Set(components.map(({ purl }) => purl));
  const manifests = globSync('rds-pilot/node_modules/**/package.json', { cwd: out });
  const inside = manifests
    .filter((path) => /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(path))
    .map((path) => JSON.parse(readFileSync(join(out, path), 'utf8')) as { name?: string; version?: string })
    .filter((one): one is { name: string; version: string } => Boolean(one.name && one.version));
  t.ok(inside.length > 50, `${inside.length} packages`);
  const missing = inside.filter(
    (one) => !listed.has(`pkg:npm/${one.name.replace('@', '%40')}@${one.version}`),
  );
  t.same(missing, [], 'every package of the image is in the SBOM');
  t.notOk(
    [...listed].some((purl) => /\/(tap|typescript|@biomejs)/.test(purl)),
    'and no tool of ours',
  );
});

type Step = { if?: string; run?: string; uses?: string; with?: Record<string, unknown> };
type Workflow = {
  permissions: Record<string, string>;
  jobs: Record<string, { steps?: Step[]; uses?: string; permissions?: Record<string, string> }>;
};

const workflow = (name: string): Workflow =>
  parse(readFileSync(join(CHECKOUT, '.github/workflows', name), 'utf8')) as Workflow;

t.test('in a dry run the workflow pushes, signs and publishes nothing', async (t) => {
  const steps = workflow('release.yml').jobs.release?.steps ?? [];
  const acts = (step: Step) =>
    /push|cosign|attest|gh release|login/.test(`${step.run ?? ''} ${step.uses ?? ''}`);
  const risky = steps.filter(acts);
  t.ok(risky.length >= 5, `${risky.length} steps`);
  for (const step of risky) {
    const isGuarded =
      step.if === "env.DRY_RUN != 'true'" || step.with?.push === `\${{ env.DRY_RUN != 'true' }}`;
    t.ok(isGuarded, step.uses ?? step.run ?? '');
  }
});

t.test('workflows have few rights, and name files that exist', async (t) => {
  for (const name of ['ci.yml', 'release.yml']) {
    const { permissions, jobs } = workflow(name);
    t.same(permissions, { contents: 'read' }, name);
    for (const { uses } of Object.values(jobs)) if (uses) t.ok(existsSync(join(CHECKOUT, uses)), uses);
    const text = readFileSync(join(CHECKOUT, '.github/workflows', name), 'utf8');
    for (const [, file = ''] of text.matchAll(/\b(deploy\/[\w./-]+)/g))
      t.ok(existsSync(join(CHECKOUT, file)), file);
  }
});
