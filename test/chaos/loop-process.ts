// The local loop as a process of its own, so that it can be killed; ready when its port answers.
import { createServer } from 'node:http';
import { kubeconfigConnection } from '../../src/kube/connection.ts';
import { createLocalEngine } from '../cluster/engine.ts';

const {
  KUBECONFIG: kubeconfigPath = '',
  HOOK_URL: hookUrl = '',
  HOOK_TOKEN: hookToken = '',
  PORT,
} = process.env;
const { url, ca = '', token } = kubeconfigConnection(kubeconfigPath);

const engine = await createLocalEngine({
  controlPlane: { url, ca, user: (name) => ({ name, kubeconfigPath, token: token() ?? '' }) },
  onProblem: (message) => console.log(message),
});
await engine.configure({ hookUrl, hookToken });
createServer((_request, response) => response.end()).listen(Number(PORT), '127.0.0.1');
