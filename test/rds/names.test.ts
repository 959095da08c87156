import fc from 'fast-check';
import t from 'tap';
import {
  connectionSecretName,
  finalBackupName,
  finalBackupPrefix,
  instanceName,
  instanceNameBase,
  journalName,
  nameKind,
  oldInstanceName,
  ownerLeaseName,
  rootSecretName,
  serviceName,
  topicName,
  topicOfUrn,
  uidOfTopic,
  userSecretName,
} from '../../src/rds/names.ts';

const UID = '4bc725ab-a311-4c18-92e7-ba4969369b55';
const OTHER_UID = '9f00aa11-22bb-4c18-92e7-ba4969369b55';

type Vector = { given: [namespace: string, name: string, uid: string]; want: string; because: string };

t.test('an instance name is derived as the design spells it', async (t) => {
  const table: Vector[] = [
    {
      given: ['team-a', 'shop', UID],
      want: 'team-a_shop_4bc725aba311',
      because: 'this vector stands in the design',
    },
    {
      given: ['1st', 'shop', UID],
      want: 'r-1st_shop_4bc725aba311',
      because: 'a digit may not come first',
    },
    {
      given: ['team-a', 'shop.v2', UID],
      want: 'team-a_shop-v2_4bc725aba311',
      because: 'a dot is not allowed in the cloud',
    },
    {
      given: ['team-a', 'größe', UID],
      want: 'team-a_gr--e_4bc725aba311',
      because: 'each odd character becomes one dash',
    },
    {
      given: ['n'.repeat(40), 'm'.repeat(40), UID],
      want: `${'n'.repeat(40)}_${'m'.repeat(10)}_4bc725aba311`,
      because: 'the readable part is cut to 51, so that all is 64',
    },
    {
      given: ['9'.repeat(63), 'shop', UID],
      want: `r-${'9'.repeat(49)}_4bc725aba311`,
      because: 'the letters in front count towards the 51',
    },
    { given: ['', '', UID], want: 'r-__4bc725aba311', because: 'even nothing gives a valid name' },
  ];
  for (const { given, want, because } of table) t.equal(instanceName(...given), want, because);
});

t.test(
  'every other derived name is pinned, as a later version must find what an earlier one made',
  async (t) => {
    const table = [
      {
        got: instanceNameBase('team-a', 'shop'),
        want: 'team-a_shop',
        because: 'searched before the first create',
      },
      {
        got: oldInstanceName('team-a', 'shop'),
        want: 'team-a_shop',
        because: 'the old operator used no UID',
      },
      {
        got: serviceName('shop'),
        want: 'shop',
        because: 'the host name of the database is <name>.<namespace>.svc',
      },
      { got: connectionSecretName('shop'), want: 'shop-connection', because: 'design section 8' },
      { got: rootSecretName('shop'), want: 'shop-root', because: 'design section 4' },
      {
        got: topicName(UID),
        want: `rds-pilot-${UID}`,
        because: 'the receiver of alarms reads the UID in it',
      },
      { got: journalName(UID), want: `rds-${UID}`, because: 'design section 5' },
      { got: ownerLeaseName('abc123in01'), want: 'rds-instance-abc123in01', because: 'protocol C15' },
      {
        got: finalBackupName(UID, '2026-11-16T02:41:55Z', 1),
        want: 'final-4bc725aba311-20261116024155-1',
        because: 'UID, deletion time and attempt (C7)',
      },
      {
        got: finalBackupPrefix(UID, '2026-11-16T02:41:55Z'),
        want: 'final-4bc725aba311-20261116024155-',
        because: 'all attempts of one deletion are found by it',
      },
      {
        got: finalBackupName(UID, '2026-11-16T02:41:55.123456Z', 12),
        want: 'final-4bc725aba311-20261116024155-12',
        because: 'fractions of a second do not count',
      },
      { got: userSecretName('shop', 'app1', '%'), want: 'shop-u-app1-db8e10', because: 'pinned' },
      { got: userSecretName('shop', 'App_1', '%'), want: 'shop-u-app-1-ec61dd', because: 'slugged' },
      {
        got: userSecretName('shop', 'ÄÖ', '%'),
        want: 'shop-u-user-5b09cf',
        because: 'nothing is left to slug',
      },
    ];
    for (const { got, want, because } of table) t.equal(got, want, because);
  },
);

t.test('a namesake is told apart by the name alone', async (t) => {
  const long = 'n'.repeat(63);
  const table = [
    { given: 'team-a_shop_4bc725aba311', want: 'ours', because: 'our UID' },
    { given: 'team-a_shop', want: 'old', because: 'what the old operator made' },
    { given: 'team-a_shop_9f00aa1122bb', want: 'otherUid', because: 'the same Rds in a re-made cluster' },
    { given: 'team-a_shop_9f00aa1122', want: 'unrelated', because: 'ten digits are not a UID' },
    { given: 'team-a_shop_9f00aa1122bbcc', want: 'unrelated', because: 'fourteen digits are not a UID' },
    { given: 'team-a_shop_9F00AA1122BB', want: 'unrelated', because: 'UIDs are lower case' },
    { given: 'team-a_shop_replica-000001', want: 'unrelated', because: 'not a UID' },
    { given: 'team-a_shop2_9f00aa1122bb', want: 'unrelated', because: 'another Rds' },
    {
      given: 'xteam-a_shop_4bc725aba311',
      want: 'unrelated',
      because: 'the cloud searches by part of a name',
    },
    {
      given: 'team-a_shop_4bc725aba311x',
      want: 'unrelated',
      because: 'the cloud searches by part of a name',
    },
    { given: '', want: 'unrelated', because: 'nothing is nothing' },
  ];
  for (const { given, want, because } of table)
    t.equal(nameKind(given, 'team-a', 'shop', UID), want, `${given}: ${because}`);
  t.equal(nameKind(instanceName(long, 'shop', UID), long, 'shop', UID), 'ours', 'also when the name was cut');
  t.equal(
    nameKind(instanceName(long, 'shop', OTHER_UID), long, 'shop', UID),
    'unrelated',
    'a cut name may be that of a neighbour, so it proves nothing',
  );
});

const uids = fc.uuid();
const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 80 }), fc.string({ maxLength: 300 }));
const dnsLabel = (maxLength: number) =>
  fc.stringMatching(new RegExp(`^[a-z]([-a-z0-9]{0,${maxLength - 2}}[a-z0-9])?$`));

t.test('whatever the Rds is called, the cloud accepts the name', async () => {
  fc.assert(
    fc.property(anyText, anyText, uids, (namespace, name, uid) => {
      const made = instanceName(namespace, name, uid);
      return made.length >= 4 && made.length <= 64 && /^[A-Za-z][A-Za-z0-9_-]*$/.test(made);
    }),
  );
});

t.test('two UIDs never share an instance name, as long as their first 12 digits differ', async () => {
  const digits = (uid: string) => uid.replaceAll('-', '').slice(0, 12);
  fc.assert(
    fc.property(anyText, anyText, uids, uids, (namespace, name, one, other) => {
      fc.pre(digits(one) !== digits(other));
      return instanceName(namespace, name, one) !== instanceName(namespace, name, other);
    }),
  );
});

t.test('every name made for an Rds is recognized, under its own UID and under another', async () => {
  fc.assert(
    fc.property(dnsLabel(24), dnsLabel(26), uids, uids, (namespace, name, uid, other) => {
      const made = instanceName(namespace, name, uid);
      const foreign = made === instanceName(namespace, name, other) ? 'ours' : 'otherUid';
      return (
        nameKind(made, namespace, name, uid) === 'ours' &&
        nameKind(made, namespace, name, other) === foreign &&
        nameKind(oldInstanceName(namespace, name), namespace, name, uid) === 'old'
      );
    }),
  );
});

t.test('the Secret of a user has a valid name, and each user has an own one', async (t) => {
  fc.assert(
    fc.property(dnsLabel(52), anyText, anyText, (name, user, host) => {
      const made = userSecretName(name, user, host);
      return made.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(made);
    }),
  );
  const made = ['app', 'APP', 'app ', '-app-', 'app!'].map((user) => userSecretName('shop', user, '%'));
  t.equal(new Set(made).size, made.length, 'users that slug to the same text are told apart');
  t.not(userSecretName('shop', 'app', '%'), userSecretName('shop', 'app', '10.%'), 'so are hosts');
});

t.test('final backups are told apart by Rds, deletion and attempt, and fit into 64 characters', async () => {
  const dates = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(uids, dates, fc.integer({ min: 1, max: 99_999 }), (uid, date, attempt) => {
      const made = finalBackupName(uid, date.toISOString(), attempt);
      return (
        made.length <= 64 &&
        /^[A-Za-z][A-Za-z0-9_-]*$/.test(made) &&
        made !== finalBackupName(uid, date.toISOString(), attempt + 1)
      );
    }),
  );
});

t.test('two Rds with long names in one namespace are not taken for each other', async (t) => {
  const namespace = 'n'.repeat(52);
  const made = instanceName(namespace, 'orders', OTHER_UID);
  t.equal(nameKind(made, namespace, 'shop', UID), 'unrelated');
});

t.test('the same Rds in a re-made cluster is recognized also where the name had to be altered', async (t) => {
  t.equal(nameKind('r-1st_shop_9f00aa1122bb', '1st', 'shop', UID), 'otherUid');
});

t.test('the topic of an Rds leads back to its UID, and no other topic does', async (t) => {
  const project = '0d3a8f6e1c5b4a7290ef8d6c4b2a1357';
  const ours = `urn:smn:eu-de:${project}:rds-pilot-${UID}`;
  const table = [
    { given: ours, want: UID, because: 'as the cloud answers when it is made' },
    { given: `urn:smn:eu-de:${project}:shop`, want: undefined, because: 'a topic of somebody else' },
    { given: `${ours}:0123456789abcdef0123456789abcdef`, want: undefined, because: 'a subscription' },
    { given: `${ours}x`, want: undefined, because: 'a name that begins like ours' },
    { given: ours.replace('rds-pilot', 'xrds-pilot'), want: undefined, because: 'one that ends like ours' },
    { given: ours.toUpperCase(), want: undefined, because: 'UIDs are lower case' },
    { given: ours.replace('-a311', '-../'), want: undefined, because: 'it becomes part of a path' },
    { given: ours.replace(project, ''), want: undefined, because: 'no project' },
    { given: ours.replace('eu-de', ''), want: undefined, because: 'no region' },
    { given: ours.replace(':smn:', ':sns:'), want: undefined, because: 'another service' },
    { given: `${ours}\n`, want: undefined, because: 'a line break at the end' },
    { given: '', want: undefined, because: 'nothing is nothing' },
  ];
  for (const { given, want, because } of table) t.equal(uidOfTopic(given), want, because);
  t.same(topicOfUrn(ours), { region: 'eu-de', projectId: project, uid: UID });
  fc.assert(
    fc.property(uids, (uid) => {
      const made = topicName(uid);
      return (
        made.length <= 255 &&
        /^[A-Za-z0-9][\w-]*$/.test(made) &&
        uidOfTopic(`urn:smn:eu-nl:${project}:${made}`) === uid
      );
    }),
  );
});
