// Every single fault at every call site of each operation, pairs for create and delete, and the proof that every
// (call site, fault) cell of the wires fired. SIMULATE_PAIRS=1 tries all pairs, else every n-th.

import t from 'tap';
import { type Cells, cellsOf, silentCells, WIRE_SITES } from './cells.ts';
import { pairs, scenarioNamed, singles, tellFound } from './exhaustive.ts';
import { SCENARIOS } from './scenarios.ts';

const cells: Cells = new Map();
const every = process.env.SIMULATE_PAIRS === '1' ? 1 : 12;

for (const scenario of SCENARIOS) {
  t.test(`${scenario.name}: every single fault`, async (t) => {
    const { runs, found } = await singles(scenario, cells);
    t.comment(`${runs} runs`);
    t.same(found.map(tellFound), []);
  });
}

for (const name of ['create', 'delete with backup']) {
  t.test(`${name}: pairs of faults`, async (t) => {
    const { runs, found } = await pairs(scenarioNamed(name), cells, { part: 0, of: every });
    t.comment(`${runs} runs`);
    t.same(found.map(tellFound), []);
  });
}

t.test('every cell fired', async (t) => {
  t.comment(`${cellsOf(WIRE_SITES).length} cells`);
  t.same(silentCells(cells, WIRE_SITES), []);
});
