import t from 'tap';
import { fullSpec } from '../../src/rds/defaults.ts';
import type { ManagedFields, Rds } from '../../src/rds/object.ts';
import type { RdsSpec } from '../../src/rds/spec.ts';
import { userSetFields } from '../../src/rds/user-set.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

type Given = { spec: RdsSpec; annotations?: Record<string, string>; managedFields?: ManagedFields[] };

function rds({ spec, annotations, managedFields }: Given): Rds {
  return {
    metadata: {
      name: 'shop',
      namespace: 'team-a',
      uid: '4bc725ab-a311-4c18-92e7-ba4969369b55',
      generation: 1,
      resourceVersion: '290',
      creationTimestamp: '2026-11-16T02:41:55Z',
      ...(annotations ? { annotations } : {}),
      ...(managedFields ? { managedFields } : {}),
    },
    // What a hook sees was defaulted by the API server.
    spec: fullSpec(spec),
  };
}

const owns = (fields: readonly string[]): Record<string, unknown> => ({
  'f:spec': { '.': {}, ...Object.fromEntries(fields.map((name) => [`f:${name}`, {}])) },
});
const ALL = Object.keys(fullSpec({}));
const sorted = (fields: ReadonlySet<string>) => [...fields].sort();

/** As recorded from kubectl apply on a real API server: the manager owns the defaults as well. */
const clientSide = (applied: RdsSpec): Given => ({
  spec: applied,
  annotations: {
    [LAST_APPLIED]: `${JSON.stringify({ apiVersion: 'otc.mcsps.de/v1alpha1', kind: 'Rds', metadata: {}, spec: applied })}\n`,
  },
  managedFields: [
    {
      manager: 'kubectl-client-side-apply',
      operation: 'Update',
      fieldsV1: {
        'f:metadata': { 'f:annotations': { '.': {}, [`f:${LAST_APPLIED}`]: {} } },
        ...owns([...ALL, ...Object.keys(applied)]),
      },
    },
    {
      manager: 'metacontroller',
      operation: 'Update',
      fieldsV1: { 'f:metadata': { 'f:finalizers': { '.': {} } } },
    },
  ],
});

t.test('after kubectl apply the fields in last-applied are the user’s', async (t) => {
  t.same(sorted(userSetFields(rds(clientSide({ port: '3306', volumesize: 100 })))), ['port', 'volumesize']);
  t.same(sorted(userSetFields(rds(clientSide({})))), [], 'defaults are nobody’s wish');
});

t.test('an Apply manager owns exactly what it applied, also where that is the default', async (t) => {
  const managedFields = [
    { manager: 'argocd', operation: 'Apply', fieldsV1: owns(['port', 'flavorref']) },
    { manager: 'metacontroller', operation: 'Update', subresource: 'status', fieldsV1: owns(['vpc']) },
  ];
  const given = { spec: { port: '3306', flavorref: 'rds.mysql.n1.large.2' }, managedFields };
  t.same(sorted(userSetFields(rds(given))), ['flavorref', 'port']);
});

t.test('the fields of several Apply managers add up', async (t) => {
  const managedFields = [
    { manager: 'team', operation: 'Apply', fieldsV1: owns(['volumesize']) },
    { manager: 'platform', operation: 'Apply', fieldsV1: owns(['vpc', 'subnet']) },
  ];
  t.same(sorted(userSetFields(rds({ spec: {}, managedFields }))), ['subnet', 'volumesize', 'vpc']);
});

t.test('after a plain create only what differs from the default is a wish', async (t) => {
  const managedFields = [
    { manager: 'kubectl-create', operation: 'Update', fieldsV1: owns([...ALL, 'passwordSecretRef']) },
  ];
  const spec = { volumesize: 40, port: '5432', passwordSecretRef: { name: 's', key: 'k' } };
  t.same(sorted(userSetFields(rds({ spec, managedFields }))), ['passwordSecretRef', 'port']);
});

t.test('a later edit by another manager is a wish, too', async (t) => {
  const managedFields = [
    { manager: 'argocd', operation: 'Apply', fieldsV1: owns(['flavorref']) },
    { manager: 'kubectl-edit', operation: 'Update', fieldsV1: owns(['volumesize']) },
  ];
  t.same(sorted(userSetFields(rds({ spec: { volumesize: 200 }, managedFields }))), [
    'flavorref',
    'volumesize',
  ]);
});

t.test('writes to the status say nothing about the spec', async (t) => {
  const managedFields = [
    {
      manager: 'metacontroller',
      operation: 'Update',
      subresource: 'status',
      fieldsV1: { 'f:status': { '.': {}, 'f:id': {} }, ...owns(['volumesize']) },
    },
  ];
  t.same(sorted(userSetFields(rds({ spec: { volumesize: 200 }, managedFields }))), []);
});

t.test('without managed fields (curl) only what differs from the default is a wish', async (t) => {
  t.same(sorted(userSetFields(rds({ spec: { volumesize: 200, port: '3306' } }))), ['volumesize']);
});

t.test('what cannot be read is ignored, never an error', async (t) => {
  const table = ['', '{', 'null', '[]', '7', '"x"', '{"spec":null}', '{"spec":"x"}', '{}'];
  for (const text of table) {
    const given: Given = { spec: {}, annotations: { [LAST_APPLIED]: text }, managedFields: [] };
    t.same(sorted(userSetFields(rds(given))), [], JSON.stringify(text));
  }
  const odd: ManagedFields[] = [
    {},
    { operation: 'Apply' },
    { operation: 'Apply', fieldsV1: { 'f:spec': null } },
    { operation: 'Apply', fieldsV1: { 'f:spec': 'x' } },
    { operation: 'Apply', fieldsV1: { 'f:spec': { 'k:{"name":"a"}': {}, 'f:port': {} } } },
  ];
  t.same(sorted(userSetFields(rds({ spec: {}, managedFields: odd }))), ['port']);
});
