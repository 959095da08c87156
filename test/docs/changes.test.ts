import { readFileSync } from 'node:fs';
import t from 'tap';
import { changesTable } from './changes-table.ts';

const page = new URL('../../docs/changes.md', import.meta.url);

t.test('docs/changes.md has the table of changes that the tests carry out', async (t) => {
  t.ok(readFileSync(page, 'utf8').includes(changesTable()), `paste this:\n${changesTable()}`);
});
