import { readFileSync } from 'node:fs';
import t from 'tap';
import { PATHS } from '../sync/backup-paths.ts';

const page = new URL('../../docs/backups.md', import.meta.url);

function table(): string {
  const line = ({ name, writes }: (typeof PATHS)[number]) =>
    `| ${name} | ${writes.length > 0 ? writes.map((call) => `\`${call}\``).join('<br>') : 'none'} |`;
  return ['| what happens | calls that change something, in order |', '|---|---|', ...PATHS.map(line)].join(
    '\n',
  );
}

t.test('docs/backups.md has the table of calls that the tests see', async (t) => {
  t.ok(readFileSync(page, 'utf8').includes(table()), `paste this:\n${table()}`);
});
