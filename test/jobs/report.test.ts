import t from 'tap';
import { reportOf } from '../../src/jobs/sql/report.ts';
import { md5Verifier, scramVerifier } from '../../src/jobs/sql/scram.ts';
import { createWork } from '../../src/jobs/sql/work.ts';
import { KubeUnreachable } from '../../src/kube/api.ts';
import { createReadJobMessages } from '../../src/kube/job-messages.ts';

const size = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

t.test('a report fits into a termination message, whatever happened', async (t) => {
  const why = '😀"\\'.repeat(400);
  const failures = Array.from({ length: 300 }, (_, index) => ({ what: `user ${index}`, why }));
  for (const fatal of [undefined, why]) {
    const report = reportOf({ changed: 7, failures }, fatal);
    t.ok(size(report) <= 4096, `${size(report)} bytes`);
    t.equal(report.failures.length + report.more, 300, 'what does not fit is counted');
    t.ok(report.more > 0 && JSON.stringify(report).isWellFormed());
  }
  const small = failures.slice(0, 2).map((failure) => ({ ...failure, why: 'short' }));
  t.same(reportOf({ changed: 0, failures: small }, undefined), { changed: 0, failures: small, more: 0 });
});

t.test('what a server says is told without passwords, and a lost connection ends the run', async (t) => {
  const printed: unknown[] = [];
  const work = createWork({
    deadlineMs: 1_000,
    now: () => 0,
    secrets: ['s3cret', 's3cret-and-more', ''],
    print: (line) => printed.push(line),
  });
  t.equal(
    await work.attempt('one', async () => Promise.reject(new Error("near 's3cret-and-more' s3cret"))),
    false,
  );
  t.equal(await work.attempt('two', async () => work.did('SET s3cret')), true);
  t.same(work.failures, [{ what: 'one', why: "near '***' ***" }]);
  t.equal(work.changed, 1);
  t.notMatch(JSON.stringify(printed), /s3cret/);
  const cut = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  await t.rejects(
    work.attempt('three', () => Promise.reject(cut)),
    { message: /three: read ECONNRESET/ },
  );
});

t.test('nothing is begun after the deadline', async (t) => {
  const work = createWork({ deadlineMs: 0, now: () => 0, secrets: [], print: () => {} });
  await t.rejects(
    work.attempt('late', async () => {
      t.fail('it ran');
    }),
    { message: /the time was over/ },
  );
});

t.test('verifiers are those of PostgreSQL', async (t) => {
  // From RFC 7677: user "user", password "pencil".
  const salt = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64');
  t.equal(
    scramVerifier('pencil', salt),
    'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
  );
  // md5('secretjoe')
  t.equal(md5Verifier('secret', 'joe'), 'md5c59ec932d911ffdf487595b5a2adf973');
});

t.test('the last words of a Job are those of its newest pod that left some', async (t) => {
  const pod = (creationTimestamp: string, message?: string) => ({
    metadata: { creationTimestamp },
    status: {
      containerStatuses: [{ name: 'sql', state: message === undefined ? {} : { terminated: { message } } }],
    },
  });
  const items = [
    pod('2026-11-16T08:00:00Z', 'first'),
    pod('2026-11-16T08:02:00Z'),
    pod('2026-11-16T08:01:00Z', 'second'),
  ];
  const paths: string[] = [];
  const answer = (status: number, body: unknown = {}) =>
    createReadJobMessages(async ({ path }) => {
      paths.push(path);
      return { status, body };
    }, 1_000)({ namespace: 'team-a', name: 'shop-sql-1' });
  t.same(await answer(200, { items }), { sql: 'second' });
  t.same(await answer(200, { items: [] }), {});
  t.same(await answer(403), {}, 'a missing right costs only the words');
  await t.rejects(answer(503), KubeUnreachable);
  t.equal(paths[0], '/api/v1/namespaces/team-a/pods?labelSelector=job-name%3Dshop-sql-1');
});
