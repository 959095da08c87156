import fc from 'fast-check';
import t from 'tap';
import { GENERATED_ALPHABET, passwordProblem } from '../../src/rds/passwords.ts';
import { ENGINES } from '../../src/rds/spec.ts';
import { drawPassword } from '../../src/sync/draw-password.ts';

t.test('a password is judged as the cloud would', async (t) => {
  const all = [true, true, true];
  const none = [false, false, false];
  const table = [
    { given: 'Abcdefg1', want: all, because: 'eight characters, three kinds' },
    { given: 'Abcdef1', want: none, because: 'seven' },
    { given: `Ab1${'x'.repeat(29)}`, want: all, because: 'thirty-two' },
    { given: `Ab1${'x'.repeat(30)}`, want: none, because: 'thirty-three' },
    { given: '', want: none, because: 'nothing' },
    { given: 'abcdefgh', want: none, because: 'one kind' },
    { given: 'abcdefg1', want: none, because: 'two kinds' },
    { given: 'ABCDEFG1', want: none, because: 'two kinds' },
    { given: 'Abcdefgh', want: none, because: 'two kinds' },
    { given: 'abcdef1-', want: all, because: 'lower case, digit, special' },
    { given: 'ABCDEF1-', want: all, because: 'upper case, digit, special' },
    { given: 'Abcdefg-', want: all, because: 'upper and lower case, special' },
    { given: '1234567-', want: none, because: 'two kinds' },
    { given: 'Abc1~!@#$%^*-_+?,', want: all, because: 'what every engine takes' },
    { given: 'Abcdef1=', want: [true, true, false], because: 'SQL Server takes no =' },
    { given: 'Abcdef1(', want: [true, false, false], because: 'only MySQL takes (' },
    { given: 'Abcdef1)', want: [true, false, false], because: 'only MySQL takes )' },
    { given: 'Abcdef1&', want: [true, false, false], because: 'only MySQL takes &' },
    { given: 'Abcdef1 ', want: none, because: 'a space' },
    { given: 'Abcdef1\n', want: none, because: 'a line end' },
    { given: 'Abcdef1"', want: none, because: 'a quote' },
    { given: "Abcdef1'", want: none, because: 'a quote' },
    { given: 'Abcdef1/', want: none, because: 'a slash' },
    { given: 'Abcdefü1', want: none, because: 'not ASCII' },
    { given: 'Abcdef1🙂', want: none, because: 'not even in one unit' },
  ];
  for (const { given, want, because } of table) {
    for (const [index, engine] of ENGINES.entries()) {
      const problem = passwordProblem(given, engine);
      t.equal(problem === undefined, want[index], `${engine}: ${because}: ${problem}`);
    }
  }
});

t.test('the reason never contains the password', async () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), fc.constantFrom(...ENGINES), (text, engine) => {
      const password = `Seed${text}`;
      return !(passwordProblem(password, engine) ?? '').includes(password);
    }),
  );
});

const seeded = fc.infiniteStream(fc.nat(0xffff)).map((numbers) => (below: number) => {
  const { value } = numbers.next();
  return Number(value) % below;
});

t.test('a generated password pleases every engine, and needs no quoting anywhere', async () => {
  fc.assert(
    fc.property(seeded, (pick) => {
      const password = drawPassword(pick);
      return (
        ENGINES.every((engine) => passwordProblem(password, engine) === undefined) &&
        /^[A-Za-z][A-Za-z0-9_-]*$/.test(password) &&
        password.length === 28 &&
        encodeURIComponent(password) === password
      );
    }),
  );
});

t.test('each kind of character is in every generated password', async () => {
  fc.assert(
    fc.property(seeded, (pick) => {
      const password = drawPassword(pick);
      return Object.values(GENERATED_ALPHABET).every((alphabet) =>
        [...password].some((char) => alphabet.includes(char)),
      );
    }),
  );
});

t.test('passwords drawn by the system differ and are strong', async (t) => {
  const drawn = Array.from({ length: 200 }, () => drawPassword());
  t.equal(new Set(drawn).size, drawn.length);
  const symbols = new Set(Object.values(GENERATED_ALPHABET).join('')).size;
  t.ok(28 * Math.log2(symbols) > 128, 'more than 128 bits');
  t.notMatch(Object.values(GENERATED_ALPHABET).join(''), /[0OIl1]/, 'nothing that people misread');
});
