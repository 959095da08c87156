// Each kind of step, carried out on an arena.
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '../../src/kube/api.ts';
import { LEASE_BINDING, LEASE_BINDING_PATH } from '../cluster/operator-rights.ts';
import { waitFor } from '../cluster/wait-for.ts';
import type { Arena } from './arena.ts';
import { cloudStateOf, totalOf, writesOf } from './cloud-state.ts';
import type { RdsObject } from './history.ts';
import { type Login, logIn } from './log-in.ts';
import { differences } from './rds-state.ts';
import type { HookAnswer, HookBody } from './recorder.ts';
import type { CloudState, Manifest, Step } from './scenario.ts';

export type Run = {
  arena: Arena;
  namespace: string;
  ids: Map<string, string>;
  /** Names whose part in a race is known only afterwards. */
  aliases: Map<string, string>;
  mark: { total: number; writes: number };
  /** By Secret. */
  logins: Map<string, Login>;
  held?: { arrived: Promise<void>; release: () => void };
  shown?: Promise<void>;
};

const KINDS: Record<string, { root: string; plural: string }> = {
  Rds: { root: '/apis/otc.mcsps.de/v1alpha1', plural: 'rdss' },
  RdsBackup: { root: '/apis/otc.mcsps.de/v1alpha1', plural: 'rdsbackups' },
  Service: { root: '/api/v1', plural: 'services' },
  Secret: { root: '/api/v1', plural: 'secrets' },
  EndpointSlice: { root: '/apis/discovery.k8s.io/v1', plural: 'endpointslices' },
};

const CRD_PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/rdss.otc.mcsps.de';

function pathOf(namespace: string, kind: string, name: string): string {
  if (kind === 'Namespace') return `/api/v1/namespaces/${namespace}`;
  const { root, plural } = KINDS[kind] ?? { root: '', plural: '' };
  return `${root}/namespaces/${namespace}/${plural}/${name}`;
}

/** The names of a race are replaced by the parts that were played. */
const realName = ({ aliases }: Run, name: string): string =>
  [...aliases].find(([, alias]) => alias === name)?.[0] ?? name;

function filled(run: Run, manifest: Manifest): KubeObject {
  const text = JSON.stringify(manifest).replaceAll(
    /\$id:([a-z0-9-]+)/g,
    (_, name) => run.ids.get(name) ?? '',
  );
  const object = JSON.parse(text) as KubeObject;
  return { ...object, metadata: { ...object.metadata, namespace: run.namespace } };
}

export async function applyAll(run: Run, objects: readonly Manifest[]): Promise<void> {
  await Promise.all(
    objects.map((object) => run.arena.kube.apply(filled(run, object), { fieldManager: 'kubectl' })),
  );
}

function fail(message: string): never {
  throw new Error(message);
}

/** What is still on its way (a tag, say) is waited for; a double can only get worse and fails at once. */
export async function expectCloud(run: Run, wanted: Record<string, CloudState>): Promise<void> {
  for (const [alias, state] of Object.entries(wanted)) {
    const name = realName(run, alias);
    let doubled: string[] = [];
    await waitFor(`the cloud of ${alias} to be ${JSON.stringify(state)}`, async () => {
      const seen = await cloudStateOf(run.arena.cloud, run.namespace, name);
      doubled = seen.doubled;
      const wrong = Object.entries(state).filter(([key, value]) => seen[key as keyof CloudState] !== value);
      if (doubled.length === 0 && wrong.length > 0) fail(JSON.stringify(seen));
      return true;
    });
    if (doubled.length > 0) fail(`two instances for one Rds: ${doubled.join(', ')}`);
  }
}

type Of<Kind extends Step['do']> = Extract<Step, { do: Kind }>;
type Steps = { [Kind in Step['do']]: (run: Run, step: Of<Kind>) => Promise<unknown> };

/** None when the CRD is gone. */
export const rdsIn = ({ arena, namespace }: Run): Promise<RdsObject[]> =>
  arena.kube.list<RdsObject>(`/apis/otc.mcsps.de/v1alpha1/namespaces/${namespace}/rdss`).catch(() => []);

const getRds = (run: Run, name: string): Promise<RdsObject | undefined> =>
  run.arena.kube.find<RdsObject>(pathOf(run.namespace, 'Rds', realName(run, name)));

const NUDGE_MS = 3_000;
const nudge = (run: Run, name: string, tick: string) =>
  run.arena.kube.patch(pathOf(run.namespace, 'Rds', name), { metadata: { labels: { tick } } });

async function loginIn(run: Run, secret: string): Promise<Login> {
  const object = await run.arena.kube.find<KubeObject & { data?: Record<string, string> }>(
    pathOf(run.namespace, 'Secret', secret),
  );
  const value = (key: string) => Buffer.from(object?.data?.[key] ?? '', 'base64').toString();
  const [type, host] = [value('type'), value('ip')];
  return {
    type,
    host,
    port: Number(value('port')),
    username: value('username'),
    password: value('password'),
  };
}

const deferred = () => Promise.withResolvers<void>();
const answerPhase = (answer: HookAnswer | undefined): unknown => answer?.status?.phase;

const steps: Steps = {
  apply: (run, { objects }) => applyAll(run, objects),

  waitRds: (run, { name, until, isHurried }) => {
    let nudgedAt = Date.now();
    return waitFor(`Rds ${name} ${JSON.stringify(until)}`, async () => {
      const object = await getRds(run, name);
      if (isHurried && object && Date.now() - nudgedAt > NUDGE_MS) {
        nudgedAt = Date.now();
        await nudge(run, name, `${nudgedAt}`);
      }
      const missing = object ? differences(object, until, run.ids.get(name)) : ['there is no such Rds'];
      if (missing.length > 0) fail(missing.join('; '));
      return true;
    });
  },

  waitOne: async (run, { names, until, as, others }) => {
    const winner = await waitFor(`one of ${names.join(', ')}`, async () => {
      for (const name of names) {
        const object = await getRds(run, name);
        if (object && differences(object, until, undefined).length === 0) return name;
      }
      return undefined;
    });
    for (const name of names) run.aliases.set(name, name === winner ? as : others);
  },

  waitGone: (run, { kind, name }) =>
    run.arena.kube.waitForGone(pathOf(run.namespace, kind, realName(run, name))),

  waitCollected: (run) =>
    waitFor('the children of deleted Rds to go', async () => {
      const uids = (await rdsIn(run)).map(({ metadata }) => metadata.uid ?? '');
      const left = run.arena.chronicle.leftOf(run.namespace, uids);
      if (left.length > 0) fail(left.join(', '));
      return true;
    }),

  waitFor: (run, { kind, name, owned }) =>
    run.arena.kube.waitForObject(
      pathOf(run.namespace, kind, name),
      owned ? 'to be ours' : 'to be there without owner',
      ({ metadata }) => Boolean(metadata.ownerReferences?.some((owner) => owner.kind === 'Rds')) === owned,
    ),

  waitEvent: (run, { type, reason, message = '' }) =>
    waitFor(`event ${type} ${reason} ${message}`, () =>
      run.arena.chronicle
        .events(run.namespace)
        .some((event) => event.type === type && event.reason === reason && event.message.includes(message)),
    ),

  delete: (run, { kind, name }) => run.arena.kube.delete(pathOf(run.namespace, kind, realName(run, name))),

  deleteCrd: (run) => run.arena.kube.delete(CRD_PATH),
  waitCrdGone: (run) => run.arena.kube.waitForGone(CRD_PATH),

  annotate: (run, { name, annotations }) =>
    run.arena.kube.patch(pathOf(run.namespace, 'Rds', realName(run, name)), {
      metadata: {
        annotations: Object.fromEntries(
          Object.entries(annotations).map(([key, value]) => [
            key,
            value.replace(/^\$id:(.*)$/, (_, id) => run.ids.get(id) ?? ''),
          ]),
        ),
      },
    }),

  label: (run, { kind, name, labels }) =>
    run.arena.kube.patch(pathOf(run.namespace, kind, name), { metadata: { labels } }),

  wipeStatus: (run, { name }) =>
    run.arena.kube.patch(
      `${pathOf(run.namespace, 'Rds', name)}/status`,
      [{ op: 'replace', path: '/status', value: {} }],
      'json',
    ),

  rememberId: async (run, { kind = 'Rds', name }) => {
    const path = pathOf(run.namespace, kind, realName(run, name));
    const id = (await run.arena.kube.find<RdsObject>(path))?.status?.id;
    run.ids.set(name, id ?? fail(`${name} has no id to remember`));
  },

  waitBackup: (run, { name, phase, says }) =>
    waitFor(`RdsBackup ${name} ${phase} ${says ?? ''}`, async () => {
      const { status } =
        (await run.arena.kube.find<RdsObject>(pathOf(run.namespace, 'RdsBackup', name))) ?? {};
      const reason = status?.conditions?.find(({ type }) => type === 'Ready')?.reason;
      if (status?.phase !== phase || (says !== undefined && reason !== says))
        fail(`${status?.phase} ${reason}`);
      return true;
    }),

  expectRefused: async (run, { object, message }) => {
    const answer = await run.arena.kube
      .apply(filled(run, object), { fieldManager: 'kubectl' })
      .then(() => 'it was accepted', String);
    if (!answer.includes(message)) fail(answer);
  },

  expectBackups: (run, wanted) =>
    waitFor(`${wanted.made} backups made, ${wanted.now} there`, async () => {
      const isOurs = ({ name }: { name: string }) => name.startsWith(`${run.namespace}_`);
      const made = (await run.arena.cloud.events()).filter(
        (event) => event.kind === 'backup' && isOurs(event),
      );
      const now = (await run.arena.cloud.backups()).filter(isOurs);
      if (made.length !== wanted.made || now.length !== wanted.now)
        fail(`${made.length} made, ${now.length} there`);
      return true;
    }),

  fault: (run, { fault }) => run.arena.cloud.addFault(fault),

  fillDisk: async (run, { name, percent }) => {
    const instances = await run.arena.cloud.instances();
    const id = instances.find((one) => one.name.startsWith(`${run.namespace}_${name}_`))?.id ?? '';
    await run.arena.cloud.load(id, { disk: percent });
    await waitFor(`an alarm for ${name}`, async () =>
      (await run.arena.cloud.events()).some(
        ({ kind, instanceId }) => kind === 'alarm-alarm' && instanceId === id,
      ),
    );
  },

  waitCloud: (run, { name, now }) =>
    waitFor(
      `${now} instances of ${name}`,
      async () => (await cloudStateOf(run.arena.cloud, run.namespace, name)).now === now,
      { everyMs: 30 },
    ),

  expectCloud: (run, { rds }) => expectCloud(run, rds),

  markCloud: async (run) => {
    const calls = await run.arena.cloud.calls();
    run.mark = { total: totalOf(calls), writes: writesOf(calls) };
  },

  expectNoCloudCall: async (run) => {
    const total = totalOf(await run.arena.cloud.calls());
    if (total !== run.mark.total) fail(`${total - run.mark.total} calls to the cloud, none were allowed`);
  },

  expectNoCloudWrite: async (run) => {
    const writes = writesOf(await run.arena.cloud.calls());
    if (writes !== run.mark.writes)
      fail(`${writes - run.mark.writes} writes to the cloud, none were allowed`);
  },

  expectNoCall: async (run, { hook }) => {
    const found = run.arena.recorder.calls.filter(
      (call) => call.hook === hook && call.body.parent.metadata.namespace === run.namespace,
    );
    if (found.length > 0) fail(`${found.length} calls of ${hook}`);
  },

  holdAnswer: async (run, { name, phase }) => {
    const [arrived, released] = [deferred(), deferred()];
    run.held = { arrived: arrived.promise, release: released.resolve };
    run.arena.recorder.inject({
      matches: ({ body, answer }) =>
        body.parent.metadata.namespace === run.namespace &&
        body.parent.metadata.name === name &&
        answerPhase(answer) === phase,
      effect: { kind: 'hold', until: released.promise, onHeld: arrived.resolve },
    });
  },

  waitHeld: async (run) => run.held?.arrived,

  release: async (run) => run.held?.release(),

  showStale: async (run, { name, withAnnotation, withoutHandled }) => {
    const isOld = ({ parent }: HookBody): boolean =>
      parent.metadata.annotations?.[withAnnotation] !== undefined &&
      (parent as RdsObject).status?.handled?.[withoutHandled] === undefined;
    const isMine = ({ parent }: HookBody): boolean =>
      parent.metadata.namespace === run.namespace && parent.metadata.name === name;
    const old =
      run.arena.recorder.calls.findLast(({ hook, body }) => hook === 'sync' && isMine(body) && isOld(body)) ??
      fail('no call showed such a parent');
    const shown = deferred();
    run.shown = shown.promise;
    run.arena.recorder.inject({
      matches: ({ hook, body }) => hook === 'sync' && isMine(body),
      effect: { kind: 'stale', body: old.body, onShown: shown.resolve },
    });
  },

  waitShown: async (run) => run.shown,

  killReplicaOf: async (run, { name }) => {
    const call =
      run.arena.recorder
        .inFlight()
        .find(
          ({ body }) =>
            body.parent.metadata.namespace === run.namespace && body.parent.metadata.name === name,
        ) ?? fail(`no call for ${name} is in flight`);
    const replica = run.arena.replicas.find(({ port }) => port === call.replica);
    await (replica ?? fail('no such replica')).kill();
  },

  killReplicas: (run) => Promise.all(run.arena.replicas.map((replica) => replica.kill())),

  startReplicas: (run) =>
    Promise.all(
      run.arena.replicas.filter((replica) => replica.pid() === undefined).map((replica) => replica.start()),
    ),

  killEngine: (run) => run.arena.engine.kill(),
  startEngine: (run) => run.arena.engine.start(),

  editController: async (run, { times, everyMs }) => {
    for (let edit = 0; edit < times; edit += 1) {
      await run.arena.configure();
      await sleep(everyMs);
    }
  },

  hookToken: (run, { token }) => run.arena.configure(token === 'wrong' ? 'not-the-token' : undefined),

  leaseRights: async (run, { granted }) => {
    const { kube, controlPlane } = run.arena;
    if (granted) await kube.applyYaml(LEASE_BINDING);
    else await kube.delete(LEASE_BINDING_PATH);
    const pilot = controlPlane.client('rds-pilot');
    const probe = '/apis/coordination.k8s.io/v1/namespaces/rds-pilot/leases/rds-pilot-probe';
    await waitFor(
      'the rights to change',
      async () => ((await pilot.send('GET', probe)).status === 403) !== granted,
    );
    await pilot.close();
  },

  pause: (_run, { ms }) => sleep(ms),

  rememberLogin: async (run, { secret }) => void run.logins.set(secret, await loginIn(run, secret)),

  logIn: async (run, { secret, as, works }) => {
    const login = as === 'published' ? await loginIn(run, secret) : run.logins.get(secret);
    const problem = await logIn(login ?? fail(`no login of ${secret} was remembered`)).then(
      () => undefined,
      String,
    );
    if ((problem === undefined) !== works)
      fail(`${login?.username} of ${secret}: ${problem ?? 'was let in'}`);
  },
};

export const carryOut = (run: Run, step: Step): Promise<unknown> =>
  (steps[step.do] as (run: Run, step: Step) => Promise<unknown>)(run, step);
