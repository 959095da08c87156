// The simulator as a cloud that forgets nothing it has confirmed: every write is in the state file before its answer
// leaves, so that a kill -9 loses what was on the way and nothing else. (`npm run simulator -- --state` writes half
// a second later, which is fine for a laptop.)
import { readArguments } from '../../src/simulator/arguments.ts';
import type { SimulatorRequest } from '../../src/simulator/request.ts';
import { serveSimulator } from '../../src/simulator/server.ts';
import { createSimulator } from '../../src/simulator/simulator.ts';
import { createStateFile, readStateFile } from '../../src/simulator/state-file.ts';

const { host, port, stateFile, options } = readArguments(process.argv.slice(2));
if (stateFile === undefined) throw new Error('--state is needed');
const simulator = createSimulator(options);
const saved = readStateFile(stateFile);
if (saved !== undefined) simulator.load(saved);
const file = createStateFile(stateFile, simulator.save);

async function handle(request: SimulatorRequest) {
  // The effect is there when this returns; a slow or lost answer comes after the file.
  const answer = simulator.handle(request);
  if (request.method !== 'GET') file.flush();
  return answer;
}

const { url } = await serveSimulator({ handle }, { host, port });
console.log(`${url}, ${saved === undefined ? 'a new cloud' : 'the cloud of before'}`);
