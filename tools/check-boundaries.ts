// Checks who imports whom: `node tools/check-boundaries.ts [root]`. The rules are in .dependency-cruiser.cjs.
import { existsSync, globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { cruise, type IConfiguration, type ICruiseResult } from 'dependency-cruiser';

const REPOSITORY = join(import.meta.dirname, '..');
const FOLDERS = ['src', 'test', 'bench', 'tools', 'metacontroller'];

export const configuration: IConfiguration = createRequire(import.meta.url)(
  join(REPOSITORY, '.dependency-cruiser.cjs'),
);

export type Violation = { rule: string; from: string; to: string; comment: string };

/** Files that the parser did not see: their imports were not checked, whatever the rules say. */
const unseenFiles = (root: string, folders: string[], seen: Set<string>): string[] =>
  globSync(
    folders.map((folder) => `${folder}/**/*.ts`),
    { cwd: root },
  )
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !file.startsWith('test/fixtures/') && !seen.has(file));

export async function checkBoundaries(root: string): Promise<Violation[]> {
  const folders = FOLDERS.filter((folder) => existsSync(join(root, folder)));
  const { output } = await cruise(folders, {
    ...configuration.options,
    baseDir: root,
    validate: true,
    ruleSet: { forbidden: configuration.forbidden ?? [] },
  });
  const { modules, summary } = output as ICruiseResult;
  const unseen = unseenFiles(root, folders, new Set(modules.map((module) => module.source)));
  if (unseen.length > 0) throw new Error(`dependency-cruiser did not see ${unseen.join(', ')}`);
  const comments = new Map(configuration.forbidden?.map((rule) => [rule.name, rule.comment ?? '']));
  return summary.violations.map(({ rule, from, to, cycle }) => ({
    rule: rule.name,
    from,
    to: cycle?.map((step) => step.name).join(' -> ') ?? to,
    comment: comments.get(rule.name) ?? '',
  }));
}

if (import.meta.main) {
  const violations = await checkBoundaries(resolve(process.argv[2] ?? REPOSITORY));
  for (const { rule, from, to, comment } of violations) {
    console.log(`${from} -> ${to}\n    ${rule}: ${comment}`);
  }
  console.log(violations.length === 0 ? 'imports: no violation' : `imports: ${violations.length} violations`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
