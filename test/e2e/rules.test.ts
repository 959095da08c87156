// The CRD on a real API server: what it refuses and what the hook would refuse are the same; what an older CRD
// let in can still be finalized, reported on and deleted; every field of status survives pruning.
import t from 'tap';
import type { TSchema } from 'typebox';
import type { KubeObject } from '../../src/kube/api.ts';
import { type FullSpec, fullSpec } from '../../src/rds/defaults.ts';
import { CHANGE_RULES, NAME_RULE, SPEC_RULES } from '../../src/rds/rules.ts';
import type { RdsSpec } from '../../src/rds/spec.ts';
import { RdsStatusSchema } from '../../src/rds/status.ts';
import { specProblems } from '../../src/rds/validate.ts';
import { startControlPlane } from '../cluster/control-plane.ts';
import type { Answer } from '../cluster/kube-client.ts';
import { installCrds } from '../cluster/metacontroller.ts';
import { installOperatorCrds } from '../cluster/operator-cluster.ts';
import { OLD_CRD } from './old-crd.ts';
import { BAD_NAMES, CHANGES, GOOD_NAMES, OFF_SCHEMA, SPECS } from './rule-cases.ts';

t.setTimeout(1_200_000);

const COLLECTION = '/apis/otc.mcsps.de/v1alpha1/namespaces/default/rdss';
const MESSAGES = [...SPEC_RULES, ...CHANGE_RULES, NAME_RULE].map(({ message }) => message);

const rds = (name: string, spec: unknown): KubeObject => ({
  apiVersion: 'otc.mcsps.de/v1alpha1',
  kind: 'Rds',
  metadata: { name, namespace: 'default' },
  spec,
});

/** Which of our rules the API server names; a refusal for any other cause is told as it is. */
function refusals({ status, body }: Answer): string[] {
  if (status < 300) return [];
  const { message = '' } = body as { message?: string };
  const named = MESSAGES.filter((text) => message.includes(text));
  return named.length > 0 ? named.sort() : [`${status} ${message}`];
}

const full = (spec: unknown): FullSpec => fullSpec(spec as RdsSpec);
const broken = (spec: unknown): string[] =>
  SPEC_RULES.filter((rule) => !rule.holds(full(spec))).map(({ message }) => message);

t.test('the CRD', async (t) => {
  const controlPlane = await startControlPlane();
  t.teardown(controlPlane.stop);
  const kube = controlPlane.client();
  await installCrds(controlPlane, OLD_CRD);

  const stored: { name: string; why: string }[] = [];
  const store = async (name: string, spec: unknown, why: string): Promise<void> => {
    await kube.create(rds(name, spec));
    stored.push({ name, why });
  };
  const bad = SPECS.filter((spec) => broken(spec).length > 0);
  for (const [index, spec] of bad.entries()) await store(`rule-${index}`, spec, JSON.stringify(spec));
  for (const [index, spec] of OFF_SCHEMA.entries())
    await store(`schema-${index}`, spec, JSON.stringify(spec));
  for (const name of BAD_NAMES) await store(name, {}, `the name ${name}`);

  await installOperatorCrds(controlPlane);

  t.test(
    'objects stored under the old CRD that break each rule can be finalized, told about and deleted',
    async (t) => {
      for (const { name, why } of stored) {
        const path = `${COLLECTION}/${name}`;
        const object = await kube.get(path);
        const finalizers = ['metacontroller.io/compositecontroller-rds'];
        const put = await kube.send('PUT', path, { ...object, metadata: { ...object.metadata, finalizers } });
        const told = await kube.send(
          'PATCH',
          `${path}/status`,
          { status: { phase: 'Pending', id: 'x' } },
          'application/merge-patch+json',
        );
        await kube.delete(path);
        const freed = await kube.send(
          'PATCH',
          path,
          { metadata: { finalizers: null } },
          'application/merge-patch+json',
        );
        t.same([refusals(put), refusals(told), refusals(freed)], [[], [], []], why);
        t.equal((await kube.send('GET', path)).status, 404, `${why}: gone`);
      }
    },
  );

  t.test('the API server and the hook refuse the same specs, with the same words', async (t) => {
    for (const spec of SPECS) {
      const answer = await kube.send('POST', `${COLLECTION}?dryRun=All`, rds('shop', spec));
      t.same(refusals(answer), broken(spec).sort(), JSON.stringify(spec));
    }
    for (const rule of SPEC_RULES) {
      t.ok(
        SPECS.some((spec) => !rule.holds(full(spec))),
        `a case breaks: ${rule.message}`,
      );
      t.ok(
        SPECS.some((spec) => rule.holds(full(spec))),
        `a case keeps: ${rule.message}`,
      );
    }
  });

  t.test('and the same edits', async (t) => {
    for (const [from, to] of CHANGES) {
      const before = await kube.create(rds('edited', from));
      const answer = await kube.send('PUT', `${COLLECTION}/edited?dryRun=All`, { ...before, spec: to });
      const expected = CHANGE_RULES.filter((rule) => !rule.holds(full(to), full(from))).map(
        ({ message }) => message,
      );
      t.same(
        refusals(answer),
        [...broken(to), ...expected].sort(),
        `${JSON.stringify(from)} -> ${JSON.stringify(to)}`,
      );
      await kube.delete(`${COLLECTION}/edited`);
    }
    for (const rule of CHANGE_RULES)
      t.ok(
        CHANGES.some(([from, to]) => !rule.holds(full(to), full(from))),
        `a case breaks: ${rule.message}`,
      );
  });

  t.test('names are checked when an Rds is made', async (t) => {
    for (const name of GOOD_NAMES)
      t.same(refusals(await kube.send('POST', `${COLLECTION}?dryRun=All`, rds(name, {}))), [], name);
    for (const name of BAD_NAMES)
      t.same(
        refusals(await kube.send('POST', `${COLLECTION}?dryRun=All`, rds(name, {}))),
        [NAME_RULE.message],
        name,
      );
  });

  t.test('what the schema refuses, the hook refuses too', async (t) => {
    for (const spec of OFF_SCHEMA) {
      t.equal(
        (await kube.send('POST', `${COLLECTION}?dryRun=All`, rds('shop', spec))).status,
        422,
        JSON.stringify(spec),
      );
      t.not(specProblems(spec).length, 0, JSON.stringify(spec));
    }
  });

  t.test('every field of the status schema survives pruning', async (t) => {
    const status = example(RdsStatusSchema);
    await kube.create(rds('filled', {}));
    await kube.patchStatus(`${COLLECTION}/filled`, status);
    t.same((await kube.get(`${COLLECTION}/filled`)).status, status);
    t.ok(Object.keys(status as object).length >= 25);
  });
});

type Schema = TSchema & {
  type?: string;
  enum?: unknown[];
  format?: string;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  items?: Schema;
};

/** A value with every field that the schema knows. */
function example(schema: Schema): unknown {
  if (schema.enum) return schema.enum[0];
  if (schema.properties)
    return Object.fromEntries(Object.entries(schema.properties).map(([name, one]) => [name, example(one)]));
  if (schema.patternProperties) return { key: 'value' };
  if (schema.type === 'array' && schema.items) return [example(schema.items)];
  if (schema.type === 'integer') return 7;
  if (schema.type === 'boolean') return true;
  return schema.format === 'date-time' ? '2026-01-02T03:04:05Z' : 'text';
}
