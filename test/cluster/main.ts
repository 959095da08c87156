// `make cluster`: the operator on a real control plane with a simulated cloud, for kubectl, until Ctrl-C.
import { startBalancer } from './balancer.ts';
import { metacontrollerHome } from './metacontroller.ts';
import { startOperatorCluster } from './operator-cluster.ts';
import { startPodRunner } from './pod-runner.ts';

const SPEED = 60;
const say = (line: string): void => console.log(line);

function portFrom(name: string): number | undefined {
  const text = process.env[name];
  if (text === undefined || text === '') return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new Error(`${name}=${text} is not a port: use a number from 1 to 65535, or leave it unset`);
}

function help(facts: { kubeconfig: string; cloud: string; hook: string; loop: string; dir: string }): string {
  return `
The cluster is up. In another terminal:

  export KUBECONFIG=${facts.kubeconfig}
  kubectl create namespace team-a
  kubectl apply -f metacontroller/examples/shop.yaml
  kubectl get rds -A -w
  kubectl describe rds shop -n team-a
  kubectl get service,endpointslice,secret -n team-a
  kubectl apply -f metacontroller/examples/shop-backup.yaml
  kubectl get rdsbackup -A -w
  kubectl rds status -A                      # the plugin: npm run plugin && npm install --global ./dist/kubectl-rds
  kubectl delete rds shop -n team-a          # a final backup comes first

  loop       ${facts.loop}
  hook       ${facts.hook}  (two replicas behind a balancer)
  cloud      ${facts.cloud}  (simulated, ${SPEED} times as fast; ${facts.cloud}/_sim/instances shows what exists)
  logs       ${facts.dir}/*.log

Ctrl-C ends it and removes everything.`;
}

async function main(): Promise<void> {
  const { home, notice } = metacontrollerHome();
  if (notice) say(`NOTICE: ${notice}`);
  const simulatorPort = portFrom('SIMULATOR_PORT');
  const hookPort = portFrom('PORT');
  const balancer = await startBalancer(hookPort === undefined ? {} : { port: hookPort });
  const cluster = await startOperatorCluster({
    metacontrollerHome: home,
    speed: SPEED,
    log: say,
    onProblem: (message) => say(`loop: ${message}`),
    ...(simulatorPort === undefined ? {} : { simulatorPort }),
  }).catch(async (error: unknown) => {
    await balancer.stop();
    throw error;
  });
  const { controlPlane, cloud, engine, replicas, hookToken } = cluster;
  let isStopping = false;
  const stop = async (): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    say('\nstopping');
    await runner.stop().catch(() => {});
    await cluster.stop();
    await balancer.stop();
    process.exit(0);
  };
  for (const replica of replicas) balancer.add(replica.port);
  const runner = await startPodRunner({ controlPlane, log: say });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop());
  await engine.configure({ hookUrl: balancer.url, hookToken });
  say(
    help({
      kubeconfig: controlPlane.kubeconfigPath,
      cloud: cloud.url,
      hook: balancer.url,
      dir: controlPlane.dir,
      loop: home
        ? 'Metacontroller from METACONTROLLER_HOME'
        : 'the local loop, as there is no METACONTROLLER_HOME',
    }),
  );
}

const hints: [RegExp, string][] = [
  [/`go` is not on the PATH/, ''],
  [/EADDRINUSE/, ' (a port is taken: set PORT and SIMULATOR_PORT to free ones, or leave them unset)'],
  [/go build/, ' (the control plane is built once; check the network and the Go module proxy)'],
  [/exec format|EACCES/, ' (a binary cannot run here: remove the cache folder and try again)'],
];

main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  const hint = hints.find(([pattern]) => pattern.test(message))?.[1] ?? '';
  console.error(`make cluster: ${message}${hint}`);
  process.exit(1);
});
