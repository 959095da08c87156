import t from 'tap';
import Type from 'typebox';
import { rdsBackupCrd, rdsCrd, toStructural } from '../../src/rds/crd.ts';
import { CHANGE_RULES, NAME_RULE, SPEC_PRESENT_RULE, SPEC_RULES } from '../../src/rds/rules.ts';

type Schema = {
  type?: string;
  default?: unknown;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema;
  items?: Schema;
  'x-kubernetes-validations'?: { rule: string; message: string; optionalOldSelf?: boolean }[];
  [keyword: string]: unknown;
};
type Crd = {
  metadata: { name: string };
  spec: {
    group: string;
    scope: string;
    names: Record<string, unknown>;
    versions: {
      name: string;
      served: boolean;
      storage: boolean;
      subresources: unknown;
      additionalPrinterColumns: { name: string; priority?: number; jsonPath: string }[];
      schema: { openAPIV3Schema: Schema };
    }[];
  };
};

function versionOf(crd: unknown) {
  const [version] = (crd as Crd).spec.versions;
  if (!version) throw new Error('no version');
  return version;
}
const rootOf = (crd: unknown): Schema => versionOf(crd).schema.openAPIV3Schema;
const field = (schema: Schema, path: string): Schema | undefined =>
  path
    .split('.')
    .reduce<Schema | undefined>(
      (node, name) => (name === '[]' ? node?.items : node?.properties?.[name]),
      schema,
    );

function everyNode(schema: Schema, path = '$'): { path: string; node: Schema }[] {
  const inner = [
    ...Object.entries(schema.properties ?? {}).map(([name, node]) => [`${path}.${name}`, node] as const),
    ...(schema.items ? [[`${path}[]`, schema.items] as const] : []),
    ...(schema.additionalProperties ? [[`${path}{}`, schema.additionalProperties] as const] : []),
  ];
  return [{ path, node: schema }, ...inner.flatMap(([at, node]) => everyNode(node, at))];
}

const ALLOWED = new Set([
  ...['type', 'description', 'default', 'enum', 'pattern', 'format', 'required', 'properties', 'items'],
  ...['additionalProperties', 'minLength', 'maxLength', 'minimum', 'maximum', 'multipleOf', 'minItems'],
  ...['maxItems', 'maxProperties', 'x-kubernetes-list-type', 'x-kubernetes-list-map-keys'],
  'x-kubernetes-validations',
]);

t.test('the old operator’s group, version and names are kept', async (t) => {
  const crd = rdsCrd() as Crd;
  t.equal(crd.metadata.name, 'rdss.otc.mcsps.de');
  t.equal(crd.spec.group, 'otc.mcsps.de');
  t.equal(crd.spec.scope, 'Namespaced');
  t.match(crd.spec.names, { kind: 'Rds', plural: 'rdss', shortNames: ['rds'] });
  t.match(versionOf(crd), { name: 'v1alpha1', served: true, storage: true, subresources: { status: {} } });
  t.match(rdsBackupCrd(), { metadata: { name: 'rdsbackups.otc.mcsps.de' } });
});

for (const [kind, crd] of Object.entries({ Rds: rdsCrd(), RdsBackup: rdsBackupCrd() })) {
  t.test(`the schema of ${kind} is structural`, async (t) => {
    for (const { path, node } of everyNode(rootOf(crd))) {
      t.type(node.type, 'string', `${path} has a type`);
      t.same(
        Object.keys(node).filter((keyword) => !ALLOWED.has(keyword)),
        [],
        `${path} has no keyword that a structural schema forbids`,
      );
      t.notOk(node.properties && node.additionalProperties, `${path} is an object or a map, not both`);
    }
  });

  t.test(
    `every string, list and map in the spec of ${kind} is bounded, as CEL must know its cost`,
    async (t) => {
      for (const { path, node } of everyNode(rootOf(crd).properties?.spec ?? {})) {
        if (node.type === 'string') t.ok(node.enum ?? node.maxLength, `${path} has a maximum`);
        if (node.type === 'array') t.ok(node.maxItems, `${path} has a maximum`);
        if (node.additionalProperties) t.ok(node.maxProperties, `${path} has a maximum`);
      }
    },
  );
}

t.test('the converter throws with the path where a schema is not structural', async (t) => {
  const inside = (schema: unknown) => Type.Object({ a: Type.Array(Type.Object({ b: schema as never })) });
  const table = [
    { given: Type.Object({}, { additionalProperties: false }), want: /\$\.a\[\]\.b.*additionalProperties/ },
    { given: Type.Union([Type.String(), Type.Integer()]), want: /\$\.a\[\]\.b.*anyOf/ },
    { given: Type.Intersect([Type.Object({}), Type.Object({})]), want: /\$\.a\[\]\.b.*allOf/ },
    { given: Type.Integer({ exclusiveMinimum: 3 }), want: /\$\.a\[\]\.b.*exclusiveMinimum/ },
    { given: Type.Literal('x'), want: /\$\.a\[\]\.b.*const/ },
    { given: { $ref: '#/x' }, want: /\$\.a\[\]\.b.*\$ref/ },
    { given: { type: 'string', nullable: true }, want: /\$\.a\[\]\.b.*nullable/ },
    { given: Type.Enum(['x', 'y']), want: /\$\.a\[\]\.b.*type/ },
    { given: { description: 'anything' }, want: /\$\.a\[\]\.b.*type/ },
    { given: { type: 'object', patternProperties: {} }, want: /\$\.a\[\]\.b.*pattern/ },
    {
      given: { type: 'object', patternProperties: { a: { type: 'string' }, b: { type: 'string' } } },
      want: /\$\.a\[\]\.b.*pattern/,
    },
  ];
  for (const { given, want } of table) t.throws(() => toStructural(inside(given)), { message: want });
});

t.test('a record becomes a map of its values', async (t) => {
  t.same(toStructural(Type.Record(Type.String(), Type.String({ maxLength: 3 }))), {
    type: 'object',
    additionalProperties: { type: 'string', maxLength: 3 },
  });
});

t.test('each status field of the design is in the schema, else the API server would prune it', async (t) => {
  const status = rootOf(rdsCrd()).properties?.status ?? {};
  const types: Record<string, string> = {
    observedGeneration: 'integer',
    id: 'string',
    ip: 'string',
    status: 'string',
    autopilot: 'boolean',
    logs: 'boolean',
    reboot: 'boolean',
    phase: 'string',
    conditions: 'array',
    'conditions.[].reason': 'string',
    'conditions.[].message': 'string',
    'conditions.[].observedGeneration': 'integer',
    port: 'integer',
    engineVersion: 'string',
    flavor: 'string',
    volumeGb: 'integer',
    'binding.name': 'string',
    'plan.[].field': 'string',
    'plan.[].from': 'string',
    'plan.[].to': 'string',
    'plan.[].impact': 'string',
    'plan.[].when': 'string',
    planHash: 'string',
    'operation.kind': 'string',
    'operation.startedAt': 'string',
    'operation.jobId': 'string',
    'scaling.volumeGb': 'integer',
    'scaling.flavor': 'string',
    'scaling.history': 'array',
    backup: 'object',
    restoredTo: 'string',
    handled: 'object',
    alarms: 'array',
    credentials: 'string',
    databases: 'object',
    replicas: 'array',
  };
  for (const [path, type] of Object.entries(types)) t.equal(field(status, path)?.type, type, path);
  t.same(field(status, 'phase')?.enum, [
    ...['Pending', 'Creating', 'Ready', 'Changing', 'Restoring', 'Stopped', 'Paused', 'Released'],
    ...['Deleting', 'Failed'],
  ]);
  t.same(field(status, 'plan.[].impact')?.enum, [
    ...['none', 'reload', 'disconnect', 'restart', 'newServer', 'impossible'],
  ]);
  t.equal(field(status, 'scaling.history')?.maxItems, 10);
  t.equal(status.required, undefined, 'a status may be empty');
});

t.test('old fields keep their types and defaults, and no field is required', async (t) => {
  const spec = rootOf(rdsCrd()).properties?.spec ?? {};
  const table: Record<string, Partial<Schema>> = {
    availabilityzone: { type: 'string', default: 'eu-de-01' },
    backuprestoretime: { type: 'string', default: undefined },
    backupstarttime: { type: 'string', default: '01:00-02:00' },
    backupkeepdays: { type: 'integer', default: 12, minimum: 0, maximum: 732 },
    databases: { type: 'array', default: undefined },
    datastoretype: { type: 'string', default: 'MySQL', enum: ['MySQL', 'PostgreSQL', 'SQLServer'] },
    datastoreversion: { type: 'string', default: '8.0' },
    endpoint: { type: 'string', default: undefined },
    flavorref: { type: 'string', default: 'rds.mysql.c2.medium' },
    hamode: { type: 'string', default: undefined, enum: ['Ha'] },
    hareplicationmode: { type: 'string', default: undefined, enum: ['sync', 'async', 'semisync'] },
    port: { type: 'string', default: '3306' },
    password: { type: 'string', default: undefined, minLength: 8, maxLength: 32 },
    region: { type: 'string', default: 'eu-de' },
    subnet: { type: 'string', default: 'default' },
    securitygroup: { type: 'string', default: 'default' },
    vpc: { type: 'string', default: 'default' },
    users: { type: 'array', default: undefined },
    volumetype: { type: 'string', default: 'COMMON', enum: ['COMMON', 'ULTRAHIGH', 'CLOUDSSD', 'ESSD'] },
    volumesize: { type: 'integer', minimum: 40, maximum: 4000, multipleOf: 10 },
    deletionPolicy: { type: 'string', default: 'Snapshot', enum: ['Snapshot', 'Delete', 'Retain'] },
  };
  for (const [name, want] of Object.entries(table)) {
    const got = field(spec, name) ?? {};
    for (const [keyword, value] of Object.entries(want)) t.same(got[keyword], value, `${name}: ${keyword}`);
  }
  t.equal(spec.required, undefined, 'manifests of the old operator apply unchanged');
  t.same(field(spec, 'users.[]')?.required, ['name']);
});

t.test('new fields of the design are there', async (t) => {
  const spec = rootOf(rdsCrd()).properties?.spec ?? {};
  const paths = [
    ...['passwordSecretRef.name', 'passwordSecretRef.key', 'users.[].passwordSecretRef.key'],
    ...['users.[].grants.[].database', 'users.[].grants.[].privileges', 'users.[].rotateEvery', 'removal'],
    ...['restoreFrom.backup', 'restoreFrom.backupId', 'restoreFrom.instanceId', 'restoreFrom.rds'],
    ...['restoreFrom.pointInTime', 'autopilot.mode', 'autopilot.storage.thresholdPercent'],
    ...['autopilot.storage.stepGb', 'autopilot.storage.maxGb', 'autopilot.compute.thresholdPercent'],
    ...['autopilot.compute.maxFlavor', 'autopilot.compute.minFlavor', 'autopilot.cooldownMinutes'],
    ...['autopilot.compute.scaleDown.belowPercent', 'autopilot.compute.scaleDown.forMinutes'],
    ...['autopilot.heal', 'maintenanceWindow.start', 'maintenanceWindow.end', 'maintenanceWindow.days'],
    ...['parameters', 'tags', 'ssl', 'stopped', 'readReplicas.[].name', 'readReplicas.[].flavorref'],
    ...['readReplicas.[].availabilityzone', 'failoverStrategy', 'minorUpgrade', 'paused'],
    ...['credentialsSecretRef.name', 'backup.drill.schedule', 'backup.drill.flavor', 'backup.drill.checks'],
  ];
  for (const path of paths) t.ok(field(spec, path)?.type, path);
  const backup = rootOf(rdsBackupCrd()).properties?.spec ?? {};
  for (const path of ['rds', 'backupId', 'instanceId', 'credentialsSecretRef.name', 'description'])
    t.ok(field(backup, path)?.type, `RdsBackup ${path}`);
  t.match(field(backup, 'deletionPolicy'), { enum: ['Retain', 'Delete'] });
});

t.test('kubectl get shows the columns of the design, in this order', async (t) => {
  const shown = versionOf(rdsCrd()).additionalPrinterColumns.filter(({ priority }) => !priority);
  t.same(
    shown.map(({ name }) => name),
    ['Ready', 'Status', 'Engine', 'Version', 'Flavor', 'Volume', 'IP', 'Age'],
  );
});

t.test('each column shows a field that exists', async (t) => {
  for (const crd of [rdsCrd(), rdsBackupCrd()]) {
    for (const { name, jsonPath } of versionOf(crd).additionalPrinterColumns) {
      const plain = /^\.((?:spec|status)\.[A-Za-z.]+)$/.exec(jsonPath)?.[1];
      if (plain) t.ok(field(rootOf(crd), plain), `${name}: ${jsonPath}`);
      else
        t.match(jsonPath, /^\.status\.conditions\[\?\(@\.type=="Ready"\)\]|^\.metadata\.creationTimestamp$/);
    }
  }
});

t.test('every rule stands in the CRD, those on a change on the whole spec', async (t) => {
  const root = rootOf(rdsCrd());
  const rules = root.properties?.spec?.['x-kubernetes-validations'] ?? [];
  t.same(
    rules,
    [...SPEC_RULES, ...CHANGE_RULES].map(({ cel, message }) => ({ rule: cel, message })),
  );
  t.same(root['x-kubernetes-validations'], [SPEC_PRESENT_RULE, NAME_RULE]);
  const inner = everyNode(root.properties?.spec ?? {}).slice(1);
  t.same(
    inner.filter(({ node }) => node['x-kubernetes-validations']),
    [],
    'a rule on a field misses adding and removing it',
  );
});

t.test('a list with keys names keys that its items must have', async (t) => {
  for (const { path, node } of everyNode(rootOf(rdsCrd()))) {
    const keys = node['x-kubernetes-list-map-keys'] as string[] | undefined;
    if (keys)
      t.ok(
        keys.every((key) => node.items?.required?.includes(key)),
        path,
      );
  }
});
