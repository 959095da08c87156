import t from 'tap';
import { parseAllDocuments } from 'yaml';
import type { KubeObject, KubeResponse } from '../../src/kube/api.ts';
import { createApiServer } from '../../src/local/api-server.ts';
import { backupAdmission } from '../../src/local/backup-admission.ts';
import { rdsAdmission } from '../../src/local/rds-admission.ts';
import { seededUids } from '../../src/local/seeded-uids.ts';
import { createVirtualClock } from '../../src/local/virtual-clock.ts';
import { CONDITION_TYPES } from '../../src/rds/conditions.ts';
import { ANNOTATIONS } from '../../src/rds/names.ts';
import { REASONS } from '../../src/rds/reasons.ts';
import { ROTATION_STATES } from '../../src/rds/rotation.ts';
import { PHASES } from '../../src/rds/status.ts';
import {
  brokenLinks,
  camelWords,
  fencedBlocks,
  fileOf,
  firstCells,
  namedCommands,
  pageOf,
  readOtherPages,
  readPages,
  withoutBlocks,
} from './pages.ts';

const pages = readPages();
const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);

t.test('every relative link leads to a file, and every anchor to a heading', async (t) => {
  for (const { path, text } of [...pages, ...readOtherPages()]) t.same(brokenLinks(path, text), [], path);
  t.same(brokenLinks('docs/x.md', '[a](nowhere.md)'), ['docs/x.md: nowhere.md: there is no docs/nowhere.md']);
  t.same(brokenLinks('docs/x.md', '[a](operations.md#no-such)').length, 1, 'an anchor without a heading');
  t.same(brokenLinks('docs/x.md', '[a](../README.md#try-it) [b](https://example.org)'), []);
});

t.test('every picture in docs is shown by a page, and says in words what it shows', async (t) => {
  const { text } = pageOf(pages, 'docs/architecture.md');
  t.match(text, /!\[[^\]]{10,}\]\(pictures\/architecture\.svg\)/);
  t.match(fileOf('docs/pictures/architecture.svg'), /<title id=.*<desc id=/s);
});

t.test('the README leads to every page', async (t) => {
  const { text } = pageOf(pages, 'README.md');
  for (const { path } of pages.slice(1)) t.ok(text.includes(`](${path})`), path);
  t.ok(text.split('\n').length <= 160, 'and stays short');
});

/** Names that the code reads: as a property, as a string, as a key that is taken apart. */
function configVariables(): Set<string> {
  const code = fileOf('src/config.ts').replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
  const patterns = [/\benv\.([A-Z][A-Z_]+)\b/g, /'([A-Z][A-Z_]+)'/g, /[{,] ([A-Z][A-Z_]+): /g];
  const names = new Set(
    patterns.flatMap((pattern) => [...code.matchAll(pattern)].map(([, name = '']) => name)),
  );
  // The file of a secret is told once for all of them.
  return new Set(
    [...names].filter((name) => !names.has(name.replace(/_FILE$/, '')) || !name.endsWith('_FILE')),
  );
}

t.test('every environment variable is in the table of operations.md, and nothing else is', async (t) => {
  const read = configVariables();
  for (const name of ['PORT', 'HOOK_TOKEN', 'OS_PASSWORD', 'TLS_KEY_FILE', 'JOURNAL', 'ABSENCE_GAP_SECONDS'])
    t.ok(read.has(name), `the test sees ${name}`);
  const told = firstCells(pageOf(pages, 'docs/operations.md').text, 'Environment');
  t.same([...told].sort(), [...read].sort());
});

t.test('the defaults in that table are those of the code', async (t) => {
  const { text } = pageOf(pages, 'docs/operations.md');
  const code = fileOf('src/config.ts');
  const rows = [...text.matchAll(/^\| `([A-Z_]+)` \| `(\d+)` \|/gm)];
  t.ok(rows.length >= 6, `${rows.length} numbers`);
  for (const [, name = '', value = ''] of rows)
    t.match(
      code,
      new RegExp(`'${name}', ${value.replace(/(\d)(\d{3})$/, '$1_?$2')}[,)]`),
      `${name} ${value}`,
    );
});

t.test('every dependency has a line that says why, and no line is left of one that went', async (t) => {
  type Manifest = { dependencies: Record<string, string>; devDependencies: Record<string, string> };
  const { dependencies, devDependencies } = JSON.parse(fileOf('package.json')) as Manifest;
  const told = firstCells(pageOf(pages, 'docs/decisions.md').text, '2026-11-16: dependencies');
  t.same([...told].sort(), [...Object.keys(dependencies), ...Object.keys(devDependencies)].sort());
});

t.test(
  'every YAML block can be read, and every Rds and RdsBackup in one applies, with all of its fields',
  async (t) => {
    let seen = 0;
    const blocks = [...pages, ...readOtherPages()].flatMap((page) => page.blocks).filter(isYaml);
    for (const { page, line, text } of blocks) {
      for (const document of parseAllDocuments(text)) {
        t.same(document.errors, [], `${page}:${line}`);
        const object = document.toJS() as KubeObject;
        if (object.kind !== 'Rds' && object.kind !== 'RdsBackup') continue;
        seen += 1;
        const { status, body } = await applied(object);
        t.equal(status, 201, `${page}:${line}: ${JSON.stringify(body)}`);
        t.match(
          (body as KubeObject).spec,
          object.spec as object,
          `${page}:${line}: a field that the CRD does not know`,
        );
      }
    }
    t.ok(seen >= 5, `${seen} manifests`);
    const metadata = { name: 'bad', namespace: 'team-a' };
    const bad = (spec: object) =>
      applied({ apiVersion: 'otc.mcsps.de/v1alpha1', kind: 'Rds', metadata, spec });
    t.equal((await bad({ volumesize: 41 })).status, 422, 'a bad one would be found');
    t.notMatch((await bad({ volumeSize: 40 })).body, { spec: { volumeSize: 40 } }, 'a slip in a name too');
  },
);

/** To an API server of its own, as `kubectl apply` would. */
async function applied(object: KubeObject): Promise<KubeResponse> {
  const { namespace = 'default', name } = object.metadata;
  const api = createApiServer({
    clock: createVirtualClock(0),
    uid: seededUids(1),
    admission: { Rds: rdsAdmission, RdsBackup: backupAdmission },
    namespaces: [namespace],
  });
  const plural = object.kind === 'Rds' ? 'rdss' : 'rdsbackups';
  const path = `/apis/otc.mcsps.de/v1alpha1/namespaces/${namespace}/${plural}/${name}?fieldManager=kubectl`;
  return api.call({
    method: 'PATCH',
    path,
    body: object,
    contentType: 'application/apply-patch+yaml',
    deadlineMs: 1,
  });
}

t.test('every annotation that a page names exists', async (t) => {
  const known = new Set<string>(Object.values(ANNOTATIONS));
  const named = [...pages, ...readOtherPages()].flatMap(({ path, text }) =>
    [...text.matchAll(/otc\.mcsps\.de\/(?!v1alpha1)[a-z][a-z-]*/g)].map(([word]) => ({ path, word })),
  );
  t.ok(named.length >= 20, `${named.length} are named`);
  for (const { path, word } of named) t.ok(known.has(word), `${path}: ${word}`);
});

function isYaml({ language }: { language: string }): boolean {
  return language === 'yaml';
}

/** Words in backticks that look like a reason and are none. */
const OTHER_WORDS: ReadonlySet<string> = new Set([
  ...PHASES,
  ...CONDITION_TYPES,
  ...ROTATION_STATES,
  'Rds',
  'RdsBackup',
  'Snapshot',
  'Delete',
  'Retain',
  'Backup',
  'PointInTime',
  'False',
  'Date',
]);

t.test('every reason that a page names exists', async (t) => {
  const named = pages.flatMap(({ path, text }) => camelWords(text).map((word) => ({ path, word })));
  const reasons = named.filter(({ word }) => word in REASONS);
  t.ok(reasons.length >= 20, `${reasons.length} reasons are named`);
  const unknown = named.filter(({ word }) => !(word in REASONS) && !OTHER_WORDS.has(word));
  // resource.md is generated from the schema, which has words of its own.
  t.same(
    unknown.filter(({ path }) => path !== 'docs/resource.md'),
    [],
  );
  t.same(camelWords('see `CloudUnreachabel` and `spec.x`'), ['CloudUnreachabel'], 'a slip would be found');
});

t.test('the runbook has a section for each of the main reasons, and only for reasons', async (t) => {
  const { text } = pageOf(pages, 'docs/operations.md');
  const runbook = withoutBlocks(text.slice(text.indexOf('\n## Runbook')));
  const sections = [...runbook.matchAll(/^### (\w+)$/gm)].map(([, name = '']) => name);
  for (const name of sections) t.ok(name in REASONS, name);
  const wanted = [
    'JournalUnavailable',
    'CloudUnreachable',
    'CreateOutcomeUnknown',
    'AdoptionNeeded',
    'InstanceGone',
    'FinalBackupFailed',
    'DuplicateInstances',
  ];
  for (const name of wanted) t.ok(sections.includes(name), name);
});

t.test('every command that a page names exists', async (t) => {
  const targets = new Set([...fileOf('Makefile').matchAll(/^([a-z]+):/gm)].map(([, name = '']) => name));
  const { scripts } = JSON.parse(fileOf('package.json')) as { scripts: Record<string, string> };
  const named = [...pages, ...readOtherPages()].map(({ path, text }) => ({ path, ...namedCommands(text) }));
  t.ok(sum(named.map(({ make }) => make.length)) >= 5, 'make is named');
  t.ok(sum(named.map(({ npm }) => npm.length)) >= 2, 'npm is named');
  for (const { path, make, npm } of named) {
    t.same(
      make.filter((name) => !targets.has(name)),
      [],
      path,
    );
    t.same(
      npm.filter((name) => !(name in scripts)),
      [],
      path,
    );
  }
  t.same(namedCommands('```sh\nmake nothing\nnpm run nowhere\n```\n`npm test`'), {
    make: ['nothing'],
    npm: ['nowhere', 'test'],
  });
});

t.test('files and folders that a page names exist', async (t) => {
  const named = [...pages, ...readOtherPages()].flatMap(({ path, text }) =>
    [...withoutBlocks(text).matchAll(/`((?:src|test|metacontroller|tools)\/[\w./-]+)`/g)].map(
      ([, file = '']) => ({ path, file }),
    ),
  );
  t.ok(named.length >= 10, `${named.length} names`);
  for (const { path, file } of named) t.same(brokenLinks('x', `[a](${file})`), [], `${path}: ${file}`);
});

t.test('a block that is never closed is an error, not the rest of the page', async (t) => {
  t.throws(() => fencedBlocks('x', '```sh\nmake run'), /never closed/);
});
