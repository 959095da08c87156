import t from 'tap';
import type { KubeObject } from '../../src/kube/api.ts';
import { checkManifests } from '../../src/local/playground/manifest-check.ts';
import { manifestText } from '../../src/local/playground/manifest-text.ts';

const head = ['apiVersion: otc.mcsps.de/v1alpha1', 'kind: Rds', 'metadata: {name: shop, namespace: team-a}'];
const rds = (...spec: string[]) => [...head, 'spec:', ...spec.map((line) => `  ${line}`)].join('\n');

const stored: KubeObject = {
  apiVersion: 'otc.mcsps.de/v1alpha1',
  kind: 'Rds',
  metadata: { name: 'shop', namespace: 'team-a', uid: '1', annotations: { a: 'b' } },
  spec: {
    volumesize: 80,
    port: '3306',
    password: 'Very-s3cret',
    users: [{ name: 'app', password: 'Als0-secret' }],
  },
};
const none = () => undefined;
const some = (kind: string, namespace: string, name: string) =>
  kind === 'Rds' && namespace === 'team-a' && name === 'shop' ? stored : undefined;

const cases = [
  { because: 'broken YAML', text: `${head.join('\n')}\nspec: {a: [1}`, line: 4, field: '' },
  { because: 'not an object', text: '- a\n- b', line: 1, field: '' },
  { because: 'nothing at all', text: '# only a comment', line: 1, field: '' },
  { because: 'another kind', text: 'apiVersion: v1\nkind: Pod', line: 2, field: 'kind' },
  { because: 'another version', text: 'apiVersion: v1\nkind: Rds', line: 1, field: 'apiVersion' },
  { because: 'no name', text: head.slice(0, 2).join('\n'), line: 1, field: 'metadata.name' },
  { because: 'no spec', text: head.join('\n'), line: 1, field: 'spec' },
  { because: 'a wrong type', text: rds('port: 3306'), line: 5, field: 'spec.port' },
  { because: 'a wrong word', text: rds('vpc: a', 'volumetype: FAST'), line: 6, field: 'spec.volumetype' },
  { because: 'a typo', text: rds('volumsize: 40'), line: 5, field: 'spec.volumsize' },
  {
    because: 'a typo deep inside',
    text: rds('users:', '- name: a', '  grant: []'),
    line: 7,
    field: 'spec.users.0.grant',
  },
  {
    because: 'a rule about several fields is shown where its field is written',
    text: rds('hamode: Ha', 'flavorref: rds.mysql.n1.large.2', 'availabilityzone: "eu-de-01,eu-de-02"'),
    line: 6,
    field: 'spec.flavorref',
  },
  { because: 'a value of the wrong shape', text: 'a: &a [1]\nb: [*a, *a]', line: 1, field: 'kind' },
];

for (const { because, text, line, field } of cases)
  t.test(`${because} is found, with line and field`, async (t) => {
    const { findings, wanted } = checkManifests(text, none);
    t.match(findings[0], { line, field, message: /\w/ });
    t.same(wanted, [], 'and nothing would be applied');
  });

t.test('what cannot change is found against what is stored', async (t) => {
  const text = rds('volumesize: 40');
  t.same(checkManifests(text, none).findings, [], 'a new one may be small');
  t.match(checkManifests(text, some).findings, [
    { line: 5, field: 'spec.volumesize', message: /cannot shrink/ },
  ]);
});

t.test('every document of a file is looked at', async (t) => {
  const { findings, wanted } = checkManifests(
    `${rds('volumesize: 50')}\n---\n${rds('volumesize: 51')}`,
    none,
  );
  t.match(findings, [{ line: 11, field: 'spec.volumesize' }]);
  t.equal(wanted.length, 1);
});

t.test('passwords do not leave the server, and stay when the text comes back', async (t) => {
  const text = manifestText(stored);
  t.notMatch(text, /s3cret|Als0/);
  t.notMatch(text, /3306/, 'defaults are not repeated');
  const { findings, wanted } = checkManifests(text, some);
  t.same(findings, []);
  t.match(wanted[0]?.object.spec, { password: 'Very-s3cret', users: [{ password: 'Als0-secret' }] });
  t.match(checkManifests(text, none).findings, [{ field: 'spec.password', message: /none is stored/ }]);
});

t.test('a value that is wrong is not repeated, it may be a secret', async (t) => {
  const { findings } = checkManifests(rds('password: Shrt-1!'), none);
  t.equal(findings[0]?.field, 'spec.password');
  t.notMatch(JSON.stringify(findings), /Shrt/);
});
