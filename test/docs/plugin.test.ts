// docs/plugin.md is a transcript: every command in it is one that the plugin takes, every command of the plugin is in
// it, and what needs no cluster is printed as shown.

import t from 'tap';
import { builtPlugin } from '../plugin/built.ts';
import { fileOf, pageOf, readOtherPages, readPages } from './pages.ts';

const page = pageOf(readPages(), 'docs/plugin.md');

type Shown = { words: string[]; output: string };

/** `$ kubectl rds …` and what stands under it, up to the next one. */
function shown(text: string): Shown[] {
  return text
    .split(/^\$ kubectl rds /m)
    .slice(1)
    .map((part) => {
      const [line = '', ...output] = part.split('\n');
      return { words: line.split(' '), output: output.join('\n') };
    });
}

const blocks = page.blocks.filter(({ language }) => language === 'console');
const transcripts = blocks.flatMap(({ text }) => shown(text));
const OFFLINE = ['version', 'help', 'explain', 'completion', 'stauts'];

t.test('every command of the plugin has its transcript', async (t) => {
  const { run } = builtPlugin();
  const { stdout } = await run(['help']);
  const commands = [...stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name = '']) => name);
  t.ok(commands.length >= 13, commands.join(' '));
  for (const name of commands)
    t.ok(
      transcripts.some(({ words }) => words[0] === name),
      name,
    );
});

t.test('what needs no cluster is printed as shown', async (t) => {
  const { run } = builtPlugin();
  const plain = transcripts.filter(({ words }) => OFFLINE.includes(words[0] ?? ''));
  t.ok(plain.length >= 4);
  for (const { words, output } of plain) {
    const { code, stdout, stderr } = await run(words);
    t.equal(`${stderr}${stdout}${code === 0 ? '' : `(exit code ${code})\n`}`, output, words.join(' '));
  }
});

t.test('what needs one is taken as it is written: only the cluster is missing', async (t) => {
  const { run } = builtPlugin();
  const rest = transcripts.filter(({ words }) => !OFFLINE.includes(words[0] ?? ''));
  t.ok(rest.length >= 12);
  const env = {
    OS_AUTH_URL: 'http://127.0.0.1:1/v3',
    OS_PROJECT_NAME: 'eu-de',
    OS_DOMAIN_NAME: 'd',
    OS_USERNAME: 'u',
    OS_PASSWORD: 'p',
  };
  for (const { words } of rest)
    t.match(await run(words, { env }), { code: 5, stderr: /No cluster: .*kubeconfig/ }, words.join(' '));
});

t.test(
  'the version in the way to install is the present one, and the exit codes are those of the code',
  async (t) => {
    const { version } = JSON.parse(fileOf('package.json')) as { version: string };
    t.ok(page.text.includes(`kubectl-rds-${version}.tgz`));
    const code = fileOf('src/plugin/failure.ts');
    const codes = [...code.matchAll(/^ {2}\w+: (\d),$/gm)].map(([, number = '']) => number);
    const told = [...page.text.matchAll(/^\| (\d) \|/gm)].map(([, number = '']) => number);
    t.same(told, ['0', ...codes]);
  },
);

t.test('every command of the plugin that any page names is one that it has', async (t) => {
  const { run } = builtPlugin();
  const { stdout } = await run(['help']);
  const known = new Set([...stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name = '']) => name));
  const named = [...readPages(), ...readOtherPages()].flatMap(({ path, text }) =>
    [...text.matchAll(/kubectl rds ([a-z]+)/g)].map(([, name = '']) => ({ path, name })),
  );
  const wrong = named.filter(({ name }) => !known.has(name) && name !== 'stauts');
  t.ok(named.length >= 40, `${named.length} are named`);
  t.same(wrong, []);
});
