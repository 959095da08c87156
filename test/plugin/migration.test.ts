import t from 'tap';
import type { KubeObject } from '../../src/kube/api.ts';
import type { Instance } from '../../src/otc/cloud.ts';
import type { RdsObject } from '../../src/plugin/cluster.ts';
import { judge } from '../../src/plugin/migration.ts';
import type { Facts } from '../../src/plugin/migration-findings.ts';
import type { RdsSpec } from '../../src/rds/spec.ts';
import type { RdsStatus } from '../../src/rds/status.ts';

const UID = '4bc725ab-a311-4f0e-9d54-0c6a1e2f3b47';

const rds = (spec: RdsSpec = {}, status: RdsStatus = {}, metadata: object = {}): RdsObject =>
  ({
    apiVersion: 'otc.mcsps.de/v1alpha1',
    kind: 'Rds',
    metadata: { name: 'shop', namespace: 'team-a', uid: UID, ...metadata },
    spec,
    status,
  }) as RdsObject;

const instance = (more: Partial<Instance> = {}): Instance =>
  ({
    id: 'abcin01',
    name: 'team-a_shop',
    status: 'ACTIVE',
    flavor: 'rds.mysql.c2.medium',
    volumeGb: 40,
    port: 3306,
    backupStartTime: '01:00-02:00',
    backupKeepDays: 12,
    ...more,
  }) as Instance;

const facts = (more: Partial<Facts> = {}): Facts => ({
  namesakes: [],
  instances: [instance()],
  alarmNames: new Set(),
  ...more,
});

const object = (kind: string, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'shop', namespace: 'team-a', ...metadata },
});

const ID = { id: 'abcin01' };

t.test('what becomes of an Rds of the old operator', async (t) => {
  const table: {
    given: RdsObject;
    facts?: Partial<Facts>;
    verdict: string;
    says: RegExp;
    because: string;
  }[] = [
    {
      given: rds({}, ID),
      verdict: 'managed on',
      says: /note Instance abcin01 .*no restart, no password reset/,
      because: 'status.id of an instance in the project',
    },
    {
      given: rds({}, ID),
      facts: { instances: undefined },
      verdict: 'managed on',
      says: /If instance abcin01 is in the project/,
      because: 'nobody looked',
    },
    {
      given: rds({}, { id: 'goneIn01' }),
      verdict: 'instance missing',
      says: /stop .*InstanceMissing, and nothing is created/,
      because: 'status.id of an instance that is not listed',
    },
    {
      given: rds(),
      verdict: 'needs consent',
      says: /otc\.mcsps\.de\/adopt=abcin01/,
      because: 'the old operator forgot the id',
    },
    {
      given: rds(),
      facts: { instances: [instance({ name: 'team-a_shop_aaaaaaaaaaaa' })] },
      verdict: 'needs consent',
      says: /adopt=/,
      because: 'another UID of the same name',
    },
    {
      given: rds(),
      facts: { instances: [instance({ name: 'team-b_shop' })] },
      verdict: 'new database',
      says: /do .*a new, empty database will be created/,
      because: 'neither id nor name',
    },
    {
      given: rds(),
      facts: { instances: undefined },
      verdict: 'look in the cloud',
      says: /Set the OS_\* variables/,
      because: 'only the cloud knows',
    },
    {
      given: rds({}, ID, { deletionTimestamp: '2026-11-16T08:00:00Z' }),
      verdict: 'being deleted',
      says: /stop It is being deleted/,
      because: 'both operators act on deletes',
    },
    {
      given: rds(
        {},
        {
          ...ID,
          conditions: [
            { type: 'Ready', status: 'True', reason: 'Available', message: '', lastTransitionTime: '' },
            {
              type: 'ChildrenReady',
              status: 'False',
              reason: 'ChildNameTaken',
              message: 'm',
              lastTransitionTime: '',
            },
          ],
        },
        { finalizers: ['metacontroller.io/compositecontroller-rds'] },
      ),
      verdict: 'moved',
      says: /it is Ready.*do ChildrenReady ChildNameTaken: m/,
      because: 'the finalizer of our controller is on it',
    },
  ];
  for (const { given, facts: more, verdict, says, because } of table) {
    const judged = judge(given, [given], facts(more));
    t.equal(judged.verdict, verdict, because);
    t.match(judged.findings.map(({ level, text }) => `${level} ${text}`).join(' | '), says, because);
  }
});

t.test('what a person has to know or to do', async (t) => {
  const twin = rds({}, ID, { name: 'twin' });
  const old = {
    'kubectl.kubernetes.io/last-applied-configuration': '{"spec":{"flavorref":"x","port":"3306"}}',
  };
  const table: { given: RdsObject; facts?: Partial<Facts>; says: RegExp | undefined; because: string }[] = [
    {
      given: rds({}, ID),
      facts: { namesakes: [object('Service'), object('Endpoints')] },
      says: /do .*kubectl delete service,endpoints shop -n team-a/,
      because: 'made without an owner',
    },
    {
      given: rds({}, ID),
      facts: {
        namesakes: [
          object('Service', { ownerReferences: [{ kind: 'Rds' }] }),
          object('Service', { namespace: 'x' }),
        ],
      },
      says: undefined,
      because: 'ours, and one elsewhere',
    },
    {
      given: rds({ volumesize: 41 }, ID),
      says: /stop InvalidSpec.*spec\.volumesize/,
      because: 'a rule is broken',
    },
    {
      given: rds({ password: 'x' }, ID),
      says: /stop InvalidSpec.*spec\.password/,
      because: 'too short, value not told',
    },
    { given: rds({}, ID), says: /do .*RootPasswordUnknown/, because: 'no password anywhere' },
    {
      given: rds({ password: 'Long-Enough-1' }, ID),
      says: /never set anew/,
      because: 'spec.password is kept',
    },
    {
      given: rds({ users: [{ name: 'app' }, { name: 'b', password: 'p' }] }, ID),
      says: /stop Users without a password.*: app\./,
      because: 'a generated one would be a reset',
    },
    {
      given: rds({ flavorref: 'rds.mysql.n1.large.2' }, ID, { annotations: old }),
      says: /do spec\.flavorref says rds\.mysql\.n1\.large\.2, the instance has rds\.mysql\.c2\.medium/,
      because: 'a person set it, and it differs',
    },
    {
      given: rds({ volumesize: 40, port: '3306' }, ID, { annotations: old }),
      facts: { instances: [instance({ volumeGb: 100 })] },
      says: undefined,
      because: 'a bigger disk is no difference',
    },
    {
      given: rds({ backuprestoretime: '2026-01-01T00:00:00Z' }, ID),
      says: /counts as carried out/,
      because: 'done long ago',
    },
    { given: rds({ endpoint: 'https://x' }, ID), says: /spec\.endpoint/, because: 'the old autopilot' },
    {
      given: rds({}, ID),
      facts: { alarmNames: new Set(['team-a_shop-cpu-util', 'team-b_shop-cpu-util']) },
      says: /do Alarms .*: team-a_shop-cpu-util\./,
      because: 'they call nobody',
    },
    { given: rds({}, ID), says: /stop team-a\/twin has the same id/, because: 'only one can own it' },
  ];
  for (const { given, facts: more, says, because } of table) {
    const { findings } = judge(given, [given, twin], facts(more));
    const told = findings.map(({ level, text }) => `${level} ${text}`);
    if (says) t.match(told.join('\n'), says, because);
    else t.notMatch(told.join('\n'), /kubectl delete|would be changed/, because);
  }
});
