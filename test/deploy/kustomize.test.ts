import { globSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import t, { type Test } from 'tap';
import { kustomizeFiles, PARTS, templateArguments } from '../../deploy/kustomize.ts';
import { CHECKOUT } from '../cluster/node-process.ts';
import { ensurePackageTools, runTool } from '../cluster/package-tools.ts';
import { keyOf, kustomizeBuild, objectsFrom, type Rendered } from './render.ts';

t.setTimeout(1_800_000);

const FOLDER = join(CHECKOUT, 'deploy', 'kustomize');
const rendered = new Map<string, string>();
const keyFor = (settings: string[]): string => settings.join(' ');

t.before(async () => {
  for (const settings of [[], ...Object.values(PARTS)]) {
    const { ok, stdout, stderr } = await runTool('helm', templateArguments(settings));
    if (!ok) throw new Error(stderr);
    rendered.set(keyFor(settings), stdout);
  }
});

t.test('the files are what the chart says', async (t) => {
  const { helm } = await ensurePackageTools();
  const files = kustomizeFiles((settings) => rendered.get(keyFor(settings)) ?? '');
  for (const [path, text] of Object.entries(files)) {
    t.equal(
      readFileSync(join(FOLDER, path), 'utf8'),
      text,
      `${path} (else run HELM=${helm} node deploy/kustomize.ts)`,
    );
  }
  t.same(
    globSync('**/*.yaml', { cwd: FOLDER }).sort(),
    Object.keys(files).sort(),
    'and nothing else is there',
  );
});

/** Helm's own marks; the Namespace is made by `helm install --create-namespace`. */
function comparable(objects: Rendered[]): Map<string, Rendered> {
  const cleaned = objects
    .filter(({ kind }) => kind !== 'Namespace')
    .map((object) => {
      const { annotations = {}, labels = {}, ...metadata } = structuredClone(object.metadata);
      const strip = (marks: Record<string, string>) =>
        Object.fromEntries(
          Object.entries(marks).filter(
            ([key]) => !key.startsWith('helm.sh/') && key !== 'app.kubernetes.io/managed-by',
          ),
        );
      return { ...object, metadata: { ...metadata, labels: strip(labels), annotations: strip(annotations) } };
    });
  return new Map(cleaned.map((object) => [keyOf(object), object]));
}

async function compare(t: Test, fromHelm: Rendered[], fromKustomize: Rendered[]): Promise<void> {
  const [helm, kustomize] = [comparable(fromHelm), comparable(fromKustomize)];
  t.same([...kustomize.keys()].sort(), [...helm.keys()].sort(), 'the same objects');
  for (const [key, object] of helm) t.same(kustomize.get(key), object, key);
}

const helmObjects = (settings: string[]) => objectsFrom(runTool('helm', templateArguments(settings)));

t.test('base: object by object the same', async (t) => {
  const objects = await helmObjects([]);
  t.ok(objects.length > 15, `${objects.length} objects`);
  await compare(t, objects, await objectsFrom(kustomizeBuild('deploy/kustomize/base')));
});

t.test('with every component: object by object the same', async (t) => {
  const overlay = t.testdir({});
  // It takes no absolute paths.
  const folder = relative(overlay, FOLDER);
  const components = Object.keys(PARTS).map((part) => `  - ${folder}/components/${part}\n`);
  await writeFile(
    join(overlay, 'kustomization.yaml'),
    `resources:\n  - ${folder}/base\ncomponents:\n${components.join('')}`,
  );
  await compare(
    t,
    await helmObjects(Object.values(PARTS).flat()),
    await objectsFrom(runTool('kustomize', ['build', overlay])),
  );
});
