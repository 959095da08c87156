import fc from 'fast-check';
import t from 'tap';
import { specProblems, statusProblems } from '../../src/rds/validate.ts';

t.test('a spec with nothing in it is fine: every field has a default or may be absent', async (t) => {
  t.same(specProblems({}), []);
});

t.test('what is wrong with a spec is told with the field', async (t) => {
  const table = [
    { given: { volumesize: '40' }, field: 'spec.volumesize', because: 'text instead of a number' },
    { given: { volumesize: 30 }, field: 'spec.volumesize', because: 'too small' },
    { given: { volumesize: 45 }, field: 'spec.volumesize', because: 'not a step of 10' },
    { given: { volumesize: 4010 }, field: 'spec.volumesize', because: 'too large' },
    { given: { volumesize: 40.5 }, field: 'spec.volumesize', because: 'half a gigabyte' },
    { given: { backupkeepdays: 733 }, field: 'spec.backupkeepdays', because: 'longer than the cloud keeps' },
    { given: { backupkeepdays: -1 }, field: 'spec.backupkeepdays', because: 'negative' },
    { given: { datastoretype: 'Oracle' }, field: 'spec.datastoretype', because: 'no such engine' },
    { given: { datastoreversion: '4.1' }, field: 'spec.datastoreversion', because: 'no such version' },
    { given: { port: 3306 }, field: 'spec.port', because: 'a port is text, as it always was' },
    { given: { port: '33o6' }, field: 'spec.port', because: 'a letter' },
    { given: { port: '330600' }, field: 'spec.port', because: 'six digits' },
    { given: { hamode: 'Single' }, field: 'spec.hamode', because: 'the only value is Ha' },
    { given: { volumetype: 'TAPE' }, field: 'spec.volumetype', because: 'no such disk' },
    { given: { deletionPolicy: 'Orphan' }, field: 'spec.deletionPolicy', because: 'no such policy' },
    { given: { password: 'short' }, field: 'spec.password', because: 'shorter than 8' },
    { given: { password: 'x'.repeat(33) }, field: 'spec.password', because: 'longer than 32' },
    { given: { passwordSecretRef: { name: 's' } }, field: 'spec.passwordSecretRef', because: 'no key' },
    { given: { users: [{ name: 1 }] }, field: 'spec.users.0.name', because: 'deep inside' },
    { given: { tags: { a: 1 } }, field: 'spec.tags.a', because: 'a tag is text' },
    {
      given: { maintenanceWindow: { start: '2:00', end: '06:00' } },
      field: 'spec.maintenanceWindow.start',
      because: 'two digits',
    },
    {
      given: { autopilot: { storage: { maxGb: 5000 } } },
      field: 'spec.autopilot.storage.maxGb',
      because: 'over the limit',
    },
    { given: { paused: 'yes' }, field: 'spec.paused', because: 'a word' },
    { given: null, field: 'spec', because: 'nothing at all' },
    { given: [], field: 'spec', because: 'a list' },
    { given: 'MySQL', field: 'spec', because: 'a word' },
  ];
  for (const { given, field, because } of table) {
    const problems = specProblems(given);
    t.ok(
      problems.some((one) => one.field === field && one.message.length > 0),
      `${field}: ${because}: ${JSON.stringify(problems)}`,
    );
  }
});

t.test('every version that the cloud offers is accepted', async (t) => {
  const table = {
    MySQL: ['5.6', '5.7', '8.0'],
    PostgreSQL: ['9.5', '9.6', '10', '11', '12', '13', '14', '15', '16', '17'],
    SQLServer: [
      '2014_SE',
      '2016_SE',
      '2016_EE',
      '2017_SE',
      '2017_EE',
      '2019_SE',
      '2019_EE',
      '2022_SE',
      '2022_EE',
      '2022 SE',
    ],
  };
  for (const [datastoretype, versions] of Object.entries(table)) {
    for (const datastoreversion of versions)
      t.same(specProblems({ datastoretype, datastoreversion }), [], `${datastoretype} ${datastoreversion}`);
  }
});

const SEED = 'S3cr3t-Seed';
const secretText = fc.string({ maxLength: 60 }).map((text) => `${SEED}${text}`);

t.test('a complaint never repeats a value, which may be a secret', async (t) => {
  const places = [
    (secret: unknown) => ({ password: secret }),
    (secret: unknown) => ({ password: [secret] }),
    (secret: unknown) => ({ password: { value: secret } }),
    (secret: unknown) => ({ password: secret, passwordSecretRef: { name: 's', key: 'k' } }),
    (secret: unknown) => ({ users: [{ name: 'app', password: [secret] }] }),
    (secret: unknown) => ({ users: [{ password: secret }] }),
    (secret: unknown) => ({ passwordSecretRef: secret }),
    (secret: unknown) => ({ datastoreversion: secret }),
    (secret: unknown) => ({ hamode: secret }),
    (secret: unknown) => ({ port: secret }),
    (secret: unknown) => secret,
  ];
  fc.assert(
    fc.property(secretText, fc.constantFrom(...places), (secret, place) => {
      return !JSON.stringify(specProblems(place(secret))).includes(SEED);
    }),
  );
  t.not(specProblems({ password: `${SEED}${'x'.repeat(30)}` }).length, 0, 'a complaint was made');
});

t.test('no input makes the validation throw', async () => {
  fc.assert(
    fc.property(fc.anything(), (given) => {
      return Array.isArray(specProblems(given)) && Array.isArray(statusProblems(given));
    }),
  );
});

const fullStatus = {
  observedGeneration: 3,
  id: 'abc123in01',
  ip: '192.168.0.4',
  status: 'ACTIVE',
  autopilot: false,
  logs: false,
  reboot: false,
  phase: 'Ready',
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      reason: 'Available',
      message: 'The database is up.',
      lastTransitionTime: '2026-11-16T08:00:00Z',
      observedGeneration: 3,
    },
  ],
  port: 3306,
  engineVersion: '8.0.28',
  flavor: 'rds.mysql.n1.large.2',
  volumeGb: 40,
  binding: { name: 'shop-connection' },
  plan: [{ field: 'spec.volumesize', from: '40', to: '50', impact: 'none', when: 'now' }],
  planHash: '0123456789abcdef',
  operation: { kind: 'create', startedAt: '2026-11-16T08:00:00Z', jobId: 'j-1' },
  scaling: {
    volumeGb: 50,
    flavor: 'rds.mysql.n1.large.2',
    history: [{ at: '2026-11-16T08:00:00Z', what: 'volume 40 -> 50', because: 'disk 91 %' }],
  },
  backup: { finalBackup: { id: 'b-1', name: 'final-1', status: 'COMPLETED' } },
  restoredTo: '2026-11-16T08:00:00Z',
  handled: { 'otc.mcsps.de/restart': 'monday' },
  alarms: ['al-1'],
  credentials: 'default',
  databases: { databases: ['shop'], users: ['app'] },
  replicas: [{ name: 'r1', id: 'i-2', status: 'ACTIVE', ip: '192.168.0.5' }],
};

t.test('the whole status of the design may leave', async (t) => {
  t.same(statusProblems(fullStatus), []);
  t.same(statusProblems({}), []);
});

t.test('a status that the API server would prune or refuse does not leave', async (t) => {
  const table = [
    { given: { ...fullStatus, lastChecked: 'now' }, because: 'an unknown field vanishes silently' },
    { given: { binding: { name: 'x', kind: 'Secret' } }, because: 'an unknown field deep inside, too' },
    { given: { conditions: [{ ...fullStatus.conditions[0], color: 'red' }] }, because: 'and in a list' },
    { given: { id: 7 }, field: 'status.id', because: 'a wrong type blocks the status for ever' },
    { given: { port: '3306' }, field: 'status.port', because: 'a port in status is a number' },
    { given: { phase: 'Happy' }, field: 'status.phase', because: 'not a phase' },
    { given: { reboot: 'false' }, field: 'status.reboot', because: 'a word instead of a boolean' },
    { given: { conditions: [{ type: 'Ready' }] }, field: 'status.conditions.0', because: 'half a condition' },
    {
      given: { conditions: [{ ...fullStatus.conditions[0], status: 'Maybe' }] },
      field: 'status.conditions.0.status',
      because: 'no such status',
    },
    {
      given: { plan: [{ ...fullStatus.plan[0], impact: 'huge' }] },
      field: 'status.plan.0.impact',
      because: 'no such impact',
    },
    { given: { handled: { restart: 1 } }, field: 'status.handled.restart', because: 'orders are text' },
    { given: { alarms: Array(9).fill('a') }, field: 'status.alarms', because: 'too many' },
    {
      given: { scaling: { history: Array(11).fill(fullStatus.scaling.history[0]) } },
      field: 'status.scaling.history',
      because: 'the history has at most ten',
    },
    { given: { id: null }, field: 'status.id', because: 'null is not absent' },
    { given: null, field: 'status', because: 'nothing at all' },
  ];
  for (const { given, field, because } of table) {
    const problems = statusProblems(given);
    t.not(problems.length, 0, because);
    if (field)
      t.ok(
        problems.some((one) => one.field === field),
        `${field}: ${JSON.stringify(problems)}`,
      );
  }
});

t.test('an unknown field of a status is named', async (t) => {
  const told = JSON.stringify(statusProblems({ lastChecked: 'now' }));
  t.match(told, /lastChecked|status/);
  t.notMatch(told, /now/);
});
