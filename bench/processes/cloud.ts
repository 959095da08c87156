// The simulated cloud with a given state, in memory alone: `node cloud.ts STATE-FILE PORT`.

import { readFileSync } from 'node:fs';
import { serveSimulator } from '../../src/simulator/server.ts';
import { createSimulator } from '../../src/simulator/simulator.ts';

const [stateFile = '', port = '0'] = process.argv.slice(2);
const simulator = createSimulator({ instanceQuota: 100_000, automatedBackups: false });
simulator.load(readFileSync(stateFile, 'utf8'));
await serveSimulator(simulator, { port: Number(port) });
