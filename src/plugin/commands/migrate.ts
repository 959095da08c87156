// `migrate`: looks at an install of the old operator and tells what the move does to each object. It changes nothing.

import type { KubeObject } from '../../kube/api.ts';
import type { Cluster } from '../cluster.ts';
import { type Command, json, type World } from '../command.ts';
import { EXIT, Failure } from '../failure.ts';
import { type Judged, judge } from '../migration.ts';
import type { Facts, Finding } from '../migration-findings.ts';
import { hasCloudLogin, instancesOf, openCloudView } from '../open-cloud.ts';
import type { Colour } from '../screen.ts';
import { table, wrapped } from '../screen.ts';

const CRD = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/rdss.otc.mcsps.de';

type Install = {
  crd: 'none' | 'old' | 'ours' | 'not readable';
  /** Deployments of the old operator; undefined when they may not be listed. */
  operators: { namespace: string; name: string; replicas: number }[] | undefined;
};

export const migrate: Command = {
  name: 'migrate',
  summary: 'check an install of otc-rds-operator and tell what will happen to each object',
  synopsis: '[-o json]',
  text: 'Reads the CRD, every Rds, the Services and Endpoints of their names and the Deployments of the old operator; with your OS_* variables set, the instances and alarms of the project too. Changes nothing. Ends with 1 when something would go wrong. The steps: docs/migration.md.',
  takes: [0, 0],
  options: {},
  outputs: ['table', 'json'],
  async run({ output }, world) {
    const cluster = await world.connect();
    const install = await readInstall(cluster);
    if (install.crd === 'none')
      throw new Failure(
        EXIT.notFound,
        'There is no CRD rdss.otc.mcsps.de: neither operator is installed here.',
        'A new install: docs/install.md.',
      );
    const rdss = await cluster.rdss(undefined);
    const facts = await readFacts(cluster, world);
    const judged = rdss.map((rds) => judge(rds, rdss, facts));
    const isLooked = facts.instances !== undefined;
    if (output === 'json')
      world.out(json({ install, cloud: isLooked ? 'looked at' : 'not looked at', objects: judged }));
    else world.out(report(install, judged, isLooked, world));
    return judged.some(({ findings }) => findings.some(({ level }) => level === 'stop')) ? EXIT.failed : 0;
  },
};

/** A right that is missing costs a line of the report, not the report. */
async function orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Failure && error.code === EXIT.refused) return undefined;
    throw error;
  }
}

async function readInstall(cluster: Cluster): Promise<Install> {
  type Crd = {
    spec: {
      versions: { schema?: { openAPIV3Schema?: { properties?: { spec?: { properties?: object } } } } }[];
    };
  };
  const crd = await orUndefined(cluster.find<Crd>(CRD).then((found) => found ?? ('none' as const)));
  const properties =
    typeof crd === 'object'
      ? crd.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.spec?.properties
      : undefined;
  const kind =
    crd === undefined
      ? 'not readable'
      : crd === 'none'
        ? 'none'
        : properties && 'deletionPolicy' in properties
          ? 'ours'
          : 'old';
  type Deployment = KubeObject & {
    spec: { replicas?: number; template: { spec: { containers: { image: string }[] } } };
  };
  const deployments = await orUndefined(cluster.list<Deployment>('/apis/apps/v1/deployments'));
  const operators = deployments
    ?.filter(({ spec }) =>
      spec.template.spec.containers.some(({ image }) => image.includes('otc-rds-operator')),
    )
    .map(({ metadata, spec }) => ({
      namespace: metadata.namespace ?? '',
      name: metadata.name,
      replicas: spec.replicas ?? 1,
    }));
  return { crd: kind, operators };
}

async function readFacts(cluster: Cluster, world: World): Promise<Facts> {
  const listed = async (path: string, kind: string): Promise<KubeObject[]> =>
    ((await orUndefined(cluster.list(path))) ?? []).map((object) => ({ ...object, kind }));
  const namesakes = [
    ...(await listed('/api/v1/services', 'Service')),
    ...(await listed('/api/v1/endpoints', 'Endpoints')),
  ];
  if (!hasCloudLogin(world)) return { namesakes, instances: undefined, alarmNames: new Set() };
  const cloud = openCloudView(world);
  const alarms = await cloud.alarms(0).catch(() => undefined);
  return { namesakes, instances: await instancesOf(cloud), alarmNames: new Set(alarms?.byName.keys() ?? []) };
}

const COLOUR: Record<Finding['level'], Colour> = { stop: 'red', do: 'yellow', note: 'dim' };
const CRD_WORDS: Record<Install['crd'], string> = {
  none: '',
  old: 'that of the old operator: replace it, never delete it (deleting it deletes every Rds)',
  ours: 'that of rds-pilot',
  'not readable': 'not readable with your rights',
};

function report(
  { crd, operators }: Install,
  judged: readonly Judged[],
  isLooked: boolean,
  { paint }: World,
): string {
  const running = operators?.filter(({ replicas }) => replicas > 0);
  const operator =
    operators === undefined
      ? 'Deployments are not readable with your rights: make sure that it is stopped'
      : running?.length
        ? running
            .map(
              ({ namespace, name }) =>
                `runs. Stop it first: kubectl scale deployment ${name} -n ${namespace} --replicas=0`,
            )
            .join('; ')
        : operators.length > 0
          ? 'stopped'
          : 'none found';
  const head = [
    `CRD            ${CRD_WORDS[crd]}`,
    `Old operator   ${operator}`,
    `Cloud          ${isLooked ? 'looked at with your OS_* variables' : 'not looked at: set the OS_* variables for a certain answer'}`,
  ].join('\n');
  const rows = judged.map(({ namespace, name, id, verdict, findings }) => [
    namespace,
    name,
    id ?? '',
    { text: verdict, colour: worst(findings) },
  ]);
  const sections = judged.map(({ namespace, name, findings }) =>
    [
      paint('bold', `${namespace}/${name}`),
      ...findings.map(({ level, text }) => `  ${paint(COLOUR[level], level.padEnd(5))} ${wrapped(text, 8)}`),
    ].join('\n'),
  );
  if (judged.length === 0) return `${head}\n\nThere is no Rds.\n`;
  return `${head}\n\n${table(['NAMESPACE', 'NAME', 'INSTANCE', 'WHAT HAPPENS'], rows, paint)}\n${sections.join('\n')}\n\nThe steps: docs/migration.md\n`;
}

function worst(findings: readonly Finding[]): Colour {
  const levels = findings.map(({ level }) => level);
  return levels.includes('stop') ? 'red' : levels.includes('do') ? 'yellow' : 'green';
}
