import { readFileSync } from 'node:fs';
import t from 'tap';
import { parse } from 'yaml';
import { generatedFiles } from '../../metacontroller/generated-files.ts';
import { rdsBackupCrd, rdsCrd } from '../../src/rds/crd.ts';
import { REASONS } from '../../src/rds/reasons.ts';

const committed = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

t.test('the committed files are what the code generates (npm run generate)', async (t) => {
  for (const [path, text] of Object.entries(generatedFiles())) t.equal(committed(path), text, path);
});

t.test('the YAML says the same as the code', async (t) => {
  t.same(parse(committed('metacontroller/crd-rds.yaml')), rdsCrd());
  t.same(parse(committed('metacontroller/crd-rdsbackup.yaml')), rdsBackupCrd());
});

t.test('people find every reason and every field in the pages', async (t) => {
  const conditions = committed('docs/conditions.md');
  for (const reason of Object.keys(REASONS)) t.ok(conditions.includes(`| \`${reason}\` |`), reason);
  const resource = committed('docs/resource.md');
  for (const field of [
    'spec.volumesize',
    'spec.users[].grants[].database',
    'status.plan[].impact',
    'spec.backupId',
  ])
    t.ok(resource.includes(`| \`${field}\` |`), field);
});
