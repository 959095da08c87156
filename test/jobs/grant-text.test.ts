import fc from 'fast-check';
import t from 'tap';
import { plainGrant, presentRights, wantedRights } from '../../src/jobs/sql/mysql-rights.ts';
import { Refused } from '../../src/jobs/sql/names.ts';

const app = { name: 'app', host: '%', passwordFile: 'password-0' };
const rightsOf = (statement: string, user = app) =>
  [...wantedRights({ ...user, privileges: [statement] }, false).rights].map(
    ([target, names]) => `${[...names].join(', ')} ON ${target}`,
  );

t.test('a plain GRANT for the very user becomes rights', async (t) => {
  const cases: [statement: string, rights: string, user?: typeof app][] = [
    ["GRANT ALL ON project1.* TO 'app'@'%'", 'ALL PRIVILEGES ON `project1`.*'],
    ["grant all privileges on `project1`.* to 'app'@'%';", 'ALL PRIVILEGES ON `project1`.*'],
    ['GRANT SELECT, INSERT ON shop.* TO app', 'SELECT, INSERT ON `shop`.*'],
    ['GRANT CREATE  TEMPORARY\n TABLES ON shop.* TO app', 'CREATE TEMPORARY TABLES ON `shop`.*'],
    ['GRANT SELECT ON my_app.* TO app', 'SELECT ON `my\\_app`.*'],
    ['GRANT SELECT ON `my\\_app`.* TO app', 'SELECT ON `my\\_app`.*'],
    ['GRANT SELECT ON shop.goods TO app', 'SELECT ON `shop`.`goods`'],
    ['GRANT SELECT ON TABLE shop.goods TO app', 'SELECT ON `shop`.`goods`'],
    ['GRANT PROCESS ON *.* TO app', 'PROCESS ON *.*'],
    ['GRANT SELECT ON shop.* TO app WITH GRANT OPTION', 'SELECT, GRANT OPTION ON `shop`.*'],
    ['GRANT SELECT ON `we``ird`.* TO app', 'SELECT ON `we``ird`.*'],
    ["GRANT SELECT ON shop.* TO 'app'@'10.9.3.%'", 'SELECT ON `shop`.*', { ...app, host: '10.9.3.%' }],
    ["GRANT SELECT ON shop.* TO 'it''s'@'%'", 'SELECT ON `shop`.*', { ...app, name: "it's" }],
  ];
  for (const [statement, rights, user] of cases) t.same(rightsOf(statement, user), [rights], statement);
});

t.test('anything else is refused by its place, and its text is not repeated', async (t) => {
  const cases: [statement: string, because: RegExp][] = [
    ["GRANT ALL ON a.* TO 'app'@'%'; DROP DATABASE a", /more than one statement/],
    ["GRANT ALL ON a.* TO 'app'@'%'; GRANT ALL ON b.* TO 'app'@'%';", /more than one statement/],
    ["GRANT ALL ON a.* TO 'app'@'%' -- ; DROP DATABASE a", /more than one statement/],
    ["GRANT ALL ON a.* TO 'app'@'%' -- hello", /only WITH GRANT OPTION/],
    ["GRANT ALL ON a.* TO 'app'@'%' # hello", /only WITH GRANT OPTION/],
    ["GRANT ALL ON a.* TO 'app'@'%' /* hello */", /only WITH GRANT OPTION/],
    ["GRANT /*!50000 SUPER, */ ALL ON a.* TO 'app'@'%'", /only GRANT/],
    ["GRANT ALL ON a.* TO 'app'@'%' IDENTIFIED BY 's3cret-Word'", /field of its own/],
    ["GRANT ALL ON a.* TO 'app'@'%', 'other'@'%'", /only WITH GRANT OPTION/],
    ["GRANT ALL ON a.* TO 'other'@'%'", /another user/],
    ["GRANT ALL ON a.* TO 'app'@'localhost'", /another user/],
    ["GRANT ALL ON a.* TO 'APP'@'%'", /another user/],
    ["REVOKE ALL ON a.* FROM 'app'@'%'", /only GRANT/],
    ['DROP DATABASE a', /only GRANT/],
    ["GRANT role1 TO 'app'@'%'", /only GRANT/],
    ["GRANT PROXY ON 'root'@'%' TO 'app'@'%'", /only GRANT/],
    ["GRANT EXECUTE ON PROCEDURE a.b TO 'app'@'%'", /only GRANT/],
    ["GRANT SELECT (name) ON a.b TO 'app'@'%'", /columns/],
    ["GRANT SUPER ON *.* TO 'app'@'%'", /no privilege "SUPER"/],
    ["GRANT FILE ON *.* TO 'app'@'%'", /no privilege "FILE"/],
    ["GRANT ALL ON *.b TO 'app'@'%'", /only GRANT/],
    ["GRANT ALL ON a TO 'app'@'%'", /only GRANT/],
    ["GRANT ALL ON `a%`.* TO 'app'@'%'", /pattern/],
    ["GRANT ALL ON mysql.* TO 'app'@'%'", /belongs to the server/],
    ["GRANT ALL ON a.* TO 'app\\'@'%'", /two ways/],
    ["GRANT ALL ON a.* TO 'app", /not closed/],
    ['GRANT ALL ON "a".* TO app', /only GRANT/],
    ['', /only GRANT/],
  ];
  for (const [statement, because] of cases) {
    const error = await Promise.resolve()
      .then(() => rightsOf(statement))
      .then(
        () => undefined,
        (thrown: Error) => thrown,
      );
    t.ok(error instanceof Refused, statement);
    t.match(error?.message, /^privileges\[0\] is refused: /);
    t.match(error?.message, because, statement);
    t.notMatch(error?.message, /s3cret-Word/);
  }
});

t.test('no text whatever makes it crash or accept two statements', async (t) => {
  const pieces = fc.constantFrom(
    ...[
      'GRANT',
      'ALL',
      'ON',
      'a.*',
      'TO',
      "'app'@'%'",
      ';',
      '`',
      "'",
      '\\',
      '--',
      '/*',
      '*/',
      '#',
      '\0',
      ',',
      '(',
    ],
    ...['DROP TABLE x', 'WITH GRANT OPTION', '*.*', 'ü', '😀', '%', '\n'],
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const text = parts.join(' ');
      try {
        plainGrant(text, app);
      } catch (error) {
        return error instanceof Refused;
      }
      return !/;.*\S/s.test(text) && /^\s*GRANT /.test(text);
    }),
    { numRuns: 3_000 },
  );
  t.pass('3000 texts');
});

t.test('what a server prints is read, and what is not ours is passed over', async (t) => {
  const rights = presentRights([
    "GRANT USAGE ON *.* TO `app`@`%` IDENTIFIED BY PASSWORD '*6BB4837EB74329105EE4568DDA7DC67ED2CA2AD9'",
    'GRANT ALL PRIVILEGES ON `my\\_app`.* TO `app`@`%` WITH GRANT OPTION',
    "GRANT SELECT, INSERT ON `shop`.`go``ods` TO 'app'@'%'",
    'GRANT `reader`@`%` TO `app`@`%`',
    'GRANT EXECUTE ON PROCEDURE `shop`.`p` TO `app`@`%`',
    'GRANT SELECT (`a ON b`) ON `shop`.`t` TO `app`@`%`',
    "GRANT PROXY ON ''@'%' TO 'app'@'%'",
  ]);
  t.same(
    [...rights].map(([target, names]) => [target, [...names]]),
    [
      ['`my\\_app`.*', ['ALL PRIVILEGES', 'GRANT OPTION']],
      ['`shop`.`go``ods`', ['SELECT', 'INSERT']],
    ],
  );
});
