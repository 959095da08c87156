// `status`: all databases as a table, or one with conditions, plan and what to do next.

import { type Command, json, type World } from '../command.ts';
import { planTable } from '../plan-table.ts';
import { type RdsView, rdsView } from '../rds-view.ts';
import { age, type Cell, type Colour, plain, table, wrapped } from '../screen.ts';

const READY: Record<string, Colour> = { True: 'green', False: 'red', Unknown: 'yellow' };

export const status: Command = {
  name: 'status',
  summary: 'show databases; with a name its conditions, its plan and the next step',
  synopsis: '[NAME]',
  text: 'Without a name: every Rds of the namespace, or of all with -A. With a name: everything that the operator knows about it, and what to do next. A password is never shown.',
  takes: [0, 1],
  completes: 'rds',
  options: { 'all-namespaces': { short: 'A', means: 'all namespaces' } },
  outputs: ['table', 'json'],
  async run({ names: [name], flags, output }, world) {
    const cluster = await world.connect();
    if (name !== undefined) {
      const view = rdsView(await cluster.rds(name));
      world.out(output === 'json' ? json(view) : details(view, world));
      return 0;
    }
    const isAll = flags['all-namespaces'] === true;
    const views = (await cluster.rdss(isAll ? undefined : cluster.namespace)).map(rdsView);
    if (output === 'json') world.out(json(views));
    else if (views.length > 0) world.out(list(views, isAll, world));
    else
      world.tell(
        `There is no Rds ${isAll ? 'in this cluster' : `in namespace ${cluster.namespace}; all: kubectl rds status -A`}.`,
      );
    return 0;
  },
};

function list(views: readonly RdsView[], isAll: boolean, { paint, clock }: World): string {
  const rows = views.map((view): Cell[] => [
    ...(isAll ? [view.namespace] : []),
    view.name,
    { text: view.ready, colour: READY[view.ready] ?? 'yellow' },
    view.phase ?? '',
    engineOf(view),
    view.flavor ?? '',
    view.volumeGb === undefined ? '' : `${view.volumeGb} GB`,
    view.ip ?? '',
    view.plan.length === 0 ? '' : `${view.plan.length} pending`,
    view.ready === 'True' ? '' : (view.reason ?? ''),
    age(view.createdAt, clock.now()),
  ]);
  const header = ['NAME', 'READY', 'PHASE', 'ENGINE', 'FLAVOR', 'VOLUME', 'ADDRESS', 'PLAN', 'REASON', 'AGE'];
  return table(isAll ? ['NAMESPACE', ...header] : header, rows, paint);
}

const engineOf = ({ engine, version }: RdsView): string => [engine, version].filter(Boolean).join(' ');

const WIDTH = 12;

function details(view: RdsView, { paint, clock }: World): string {
  const { namespace, name, phase, status, ip, port, secret, id, operation, backup } = view;
  const rows: [string, string | undefined][] = [
    ['Rds', `${namespace}/${name}, ${age(view.createdAt, clock.now())} old`],
    ['Ready', paint(READY[view.ready] ?? 'yellow', view.ready)],
    ['Phase', [phase, status && `(${status})`].filter(Boolean).join(' ') || undefined],
    ['Engine', engineOf(view)],
    ['Machine', `${view.flavor}, ${view.volumeGb} GB`],
    [
      'Address',
      ip && `${ip}${port === undefined ? '' : `:${port}`}, in the cluster ${name}.${namespace}.svc`,
    ],
    ['Login', secret && `Secret ${secret}`],
    ['Instance', id && `${id}${view.instanceName ? ` (${view.instanceName})` : ''}`],
    ['Operation', operation && `${operation.kind} since ${operation.startedAt}`],
    ['Replicas', view.replicas?.map((one) => `${one.name} ${one.status ?? ''}`.trim()).join(', ')],
    [
      'Last backup',
      backup?.lastAutomated && `${backup.lastAutomated.status} ${backup.lastAutomated.beginTime}`,
    ],
    ['Restart for', view.pendingRestart?.join(', ')],
  ];
  const facts = rows
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([label, value]) => `${paint('bold', label.padEnd(WIDTH))}${value}\n`)
    .join('');
  return [
    facts,
    `\n${conditions(view, clock.now(), paint)}`,
    view.plan.length > 0 ? `\n${plan(view, paint)}` : '',
    `\n${paint('bold', 'Next step'.padEnd(WIDTH))}${wrapped(view.nextStep, WIDTH)}\n`,
  ].join('');
}

/** Conditions that hold well of themselves; the others are news when they are False. */
const colourOf = (type: string, status: string): Colour =>
  type === 'Progressing' ? 'dim' : (READY[status] ?? 'yellow');

function conditions(view: RdsView, nowMs: number, paint: World['paint']): string {
  const rows = view.conditions.map(({ type, status, reason, lastTransitionTime, message }): Cell[] => [
    type,
    { text: status, colour: colourOf(type, status) },
    reason,
    age(lastTransitionTime, nowMs),
    plain(message),
  ]);
  return table(['CONDITION', 'STATUS', 'REASON', 'SINCE', 'MESSAGE'], rows, paint);
}

function plan(view: RdsView, paint: World['paint']): string {
  return `${paint('bold', 'Plan')}${view.planHash === undefined ? '' : ` ${view.planHash}`}\n${planTable(view.plan, paint)}`;
}
