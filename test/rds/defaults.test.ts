import fc from 'fast-check';
import t from 'tap';
import { defaultOf, fullSpec, withDefaults } from '../../src/rds/defaults.ts';
import { RdsSpecSchema } from '../../src/rds/spec.ts';
import { specProblems } from '../../src/rds/validate.ts';

t.test('an empty spec becomes the database of the old operator’s defaults', async (t) => {
  t.same(fullSpec({}), {
    availabilityzone: 'eu-de-01',
    backupstarttime: '01:00-02:00',
    backupkeepdays: 12,
    datastoretype: 'MySQL',
    datastoreversion: '8.0',
    flavorref: 'rds.mysql.c2.medium',
    port: '3306',
    region: 'eu-de',
    subnet: 'default',
    securitygroup: 'default',
    volumetype: 'COMMON',
    volumesize: 40,
    vpc: 'default',
    deletionPolicy: 'Snapshot',
  });
  t.same(specProblems(fullSpec({})), []);
});

t.test('what the user wrote stays, also nothing, zero and false', async (t) => {
  t.match(fullSpec({ backupkeepdays: 0, paused: false, vpc: 'prod' }), {
    backupkeepdays: 0,
    paused: false,
    vpc: 'prod',
  });
});

t.test('a default deep inside applies only where its object is', async (t) => {
  t.notOk('autopilot' in fullSpec({}), 'an absent object stays absent');
  t.same(fullSpec({ autopilot: {} }).autopilot, { mode: 'Off' });
  const list = { items: { properties: { a: { default: 1 } } } };
  t.same(withDefaults([{}, { a: 2 }], list), [{ a: 1 }, { a: 2 }]);
  t.same(withDefaults([{}], {}), [{}]);
  t.same(withDefaults('text', list), 'text');
  t.equal(withDefaults(null, list), null);
});

t.test('defaulting twice is defaulting once, and never touches what it was given', async (t) => {
  const given = Object.freeze({ volumesize: 100 });
  fullSpec(given);
  t.same(given, { volumesize: 100 });
  const schema = RdsSpecSchema as Parameters<typeof withDefaults>[1];
  fc.assert(
    fc.property(fc.object(), (spec) => {
      const once = withDefaults(spec, schema);
      t.strictSame(withDefaults(once, schema), once);
    }),
    { numRuns: 50 },
  );
});

t.test('a field without a default has none', async (t) => {
  t.equal(defaultOf('volumesize'), 40);
  t.equal(defaultOf('hamode'), undefined);
  t.equal(defaultOf('nonsense'), undefined);
});
