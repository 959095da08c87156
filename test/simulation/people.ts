// Carries out what the plan says people do: users with kubectl, hands at the console of the cloud.

import { ANNOTATIONS } from '../../src/rds/names.ts';
import type { RdsSpec } from '../../src/rds/spec.ts';
import { demoVariables, OTHER_PROJECT } from '../../src/simulator/demo-account.ts';
import { BASE_URL, type Instance, type SimCloud } from './cloud.ts';
import { type Cluster, CRD_NAME } from './cluster.ts';
import { type Deed, passwordFor, type Target } from './plan.ts';

const HOLD = 'example.com/hold';
/** The cloud restores up to five minutes ago. */
const RESTORABLE_AFTER_MS = 310_000;
const TENANT_SECRET = 'second-account';

type Wish = { spec: RdsSpec; annotations: Record<string, string> };

/** Rotation that goes on would never come to rest. */
function withoutRotation({ rootRotateEvery: _off, users, ...spec }: RdsSpec): RdsSpec {
  return { ...spec, ...(users ? { users: users.map(({ rotateEvery: _never, ...user }) => user) } : {}) };
}

export function createPeople(cluster: Cluster, cloud: SimCloud) {
  const wishes = new Map<string, Wish>();
  const foreign = new Set<string>();
  const removedByHand = new Set<string>();
  const foreignFor = new Map<string, string>();
  /** Instances that failed, and how often: each time may be answered with a restart. */
  const broken = new Map<string, number>();
  let specChanges = 0;

  const keyOf = ({ namespace, name }: Target) => `${namespace}/${name}`;

  /** The API server takes no new object of a kind whose CRD is going or gone. */
  const isRefused = ({ namespace, name }: Target): boolean =>
    cluster.isGoing('CustomResourceDefinition', CRD_NAME, 0) && !cluster.findRds(namespace, name);

  async function apply(target: Target, wish: Wish): Promise<boolean> {
    if (isRefused(target)) return false;
    const annotations = Object.keys(wish.annotations).length > 0 ? wish.annotations : undefined;
    const { status } = await cluster.apply(target.namespace, target.name, wish.spec, annotations);
    if (status >= 300) return false;
    wishes.set(keyOf(target), wish);
    specChanges += 1;
    return true;
  }

  async function edit(target: Target, change: (wish: Wish) => Wish): Promise<void> {
    const wish = wishes.get(keyOf(target));
    if (!wish || !cluster.findRds(target.namespace, target.name)) return;
    await apply(target, change(wish));
  }

  const editSpec = (target: Target, change: Partial<RdsSpec>) =>
    edit(target, (wish) => ({ ...wish, spec: { ...wish.spec, ...change } }));

  const annotate = (target: Target, key: string, value: string | undefined) =>
    edit(target, (wish) => {
      const { [key]: _old, ...others } = wish.annotations;
      return { ...wish, annotations: value === undefined ? others : { ...others, [key]: value } };
    });

  async function create(target: Target, deed: Extract<Deed, { do: 'create' }>): Promise<void> {
    const spec: RdsSpec = {
      volumesize: deed.sizeGb,
      flavorref: deed.flavor,
      deletionPolicy: deed.policy,
      ...deed.more,
      ...(deed.isTenant ? { credentialsSecretRef: { name: TENANT_SECRET } } : {}),
      ...(deed.password === 'spec' ? { password: passwordFor(target) } : {}),
      ...(deed.password === 'secret'
        ? { passwordSecretRef: { name: `${target.name}-given`, key: 'pw' } }
        : {}),
    };
    if (deed.password === 'secret')
      await cluster.secret(target.namespace, `${target.name}-given`, { pw: passwordFor(target) });
    if (deed.isTenant)
      await cluster.secret(target.namespace, TENANT_SECRET, {
        ...demoVariables(BASE_URL),
        OS_PROJECT_NAME: OTHER_PROJECT.name,
      });
    const envied = deed.envies ? neighbourOf(target) : undefined;
    await apply(target, { spec, annotations: envied === undefined ? {} : { [ANNOTATIONS.adopt]: envied } });
  }

  async function recreate(target: Target): Promise<void> {
    const wish = wishes.get(keyOf(target));
    if (!wish || cluster.findRds(target.namespace, target.name)) return;
    const { paused: _paused, ...spec } = wish.spec;
    await apply(target, { spec, annotations: {} });
  }

  function instanceOf(target: Target): Instance | undefined {
    const uid = cluster.findRds(target.namespace, target.name)?.metadata.uid ?? '';
    const id = cluster.journal(uid)?.journal.id;
    const instance = id === undefined ? undefined : cloud.instance(id);
    return instance?.status === 'ACTIVE' && !instance.operation ? instance : undefined;
  }

  async function changePassword(target: Target, value: string): Promise<void> {
    const spec = wishes.get(keyOf(target))?.spec;
    if (spec?.password !== undefined) return editSpec(target, { password: value });
    if (spec?.passwordSecretRef === undefined) return;
    const path = `/api/v1/namespaces/${target.namespace}/secrets/${spec.passwordSecretRef.name}`;
    const data = { [spec.passwordSecretRef.key]: Buffer.from(value).toString('base64') };
    await cluster.call('PATCH', path, { data }, 'application/merge-patch+json');
  }

  async function orderByStatus({ namespace, name }: Target, status: Record<string, true>): Promise<void> {
    const path = `/apis/otc.mcsps.de/v1alpha1/namespaces/${namespace}/rdss/${name}/status`;
    await cluster.call('PATCH', path, { status }, 'application/merge-patch+json');
  }

  async function declare(target: Target, deed: Extract<Deed, { do: 'declare' }>): Promise<void> {
    const [first = ''] = deed.databases;
    const users = deed.users.map(({ name, password, rights }) => ({
      name,
      grants: rights.length > 0 ? [{ database: first, privileges: rights }] : [],
      ...(password === 'spec' ? { password: `${passwordFor(target)}-${name}` } : {}),
      ...(password === 'secret' ? { passwordSecretRef: { name: userSecretOf(target), key: 'pw' } } : {}),
    }));
    // Created once; later ones find it there.
    if (deed.users.some(({ password }) => password === 'secret'))
      await cluster.secret(target.namespace, userSecretOf(target), { pw: `${passwordFor(target)}-user` });
    await editSpec(target, { databases: deed.databases, users, removal: deed.removal ?? 'Keep' });
  }

  const userSecretOf = ({ name }: Target): string => `${name}-user-given`;

  /** In the Secret, and in the spec where it is there. */
  async function changeUserPassword(target: Target, value: string): Promise<void> {
    const path = `/api/v1/namespaces/${target.namespace}/secrets/${userSecretOf(target)}`;
    const data = { pw: Buffer.from(value).toString('base64') };
    await cluster.call('PATCH', path, { data }, 'application/merge-patch+json');
    await edit(target, (wish) => {
      const users = wish.spec.users?.map((user) => (user.password ? { ...user, password: value } : user));
      return { ...wish, spec: { ...wish.spec, ...(users ? { users } : {}) } };
    });
  }

  async function hold({ namespace, name }: Target): Promise<void> {
    const object = cluster.findRds(namespace, name);
    if (!object || object.metadata.deletionTimestamp) return;
    await cluster.patch(namespace, name, {
      metadata: { finalizers: [...(object.metadata.finalizers ?? []), HOLD] },
    });
  }

  async function letGo(): Promise<void> {
    for (const { metadata } of cluster.allRds()) {
      if (!metadata.finalizers?.includes(HOLD)) continue;
      const finalizers = metadata.finalizers.filter((one) => one !== HOLD);
      await cluster.patch(metadata.namespace ?? '', metadata.name, { metadata: { finalizers } });
    }
  }

  function alarmsOf(target: Target) {
    const uid = cluster.findRds(target.namespace, target.name)?.metadata.uid ?? 'none';
    return Object.values(cloud.world().alarms).filter(({ name }) => name.includes(uid));
  }

  function atAlarm(target: Target, deed: Extract<Deed, { which: number }>): void {
    const { alarms } = cloud.world();
    const all = alarmsOf(target);
    const alarm = all[deed.which % Math.max(1, all.length)];
    if (!alarm) return;
    if (deed.do === 'hand deletes alarm') delete alarms[alarm.id];
    if (deed.do === 'hand disables alarm') alarm.isEnabled = false;
    if (deed.do === 'hand doubles alarm') {
      const id = `al${Math.floor(cloud.now())}${'f'.repeat(9)}`;
      alarms[id] = { ...alarm, id };
    }
  }

  /** What clients and bad luck do to a database. */
  function inUse(instance: Instance, deed: Deed): void {
    if (deed.do === 'load') {
      const { do: _load, ...order } = deed;
      cloud.load(instance, order);
    }
    if (deed.do === 'instance breaks') {
      broken.set(instance.id, (broken.get(instance.id) ?? 0) + 1);
      cloud.breaks(instance);
    }
  }

  async function byHand(target: Target, deed: Deed): Promise<void> {
    if ('which' in deed) return atAlarm(target, deed);
    const instance = instanceOf(target);
    if (!instance) return;
    if (deed.do === 'hand makes a backup') cloud.addBackup(instance);
    inUse(instance, deed);
    if (deed.do === 'hand grows disk') instance.volumeGb += 10;
    if (deed.do === 'hand changes flavor') instance.flavor = deed.to;
    if (deed.do === 'hand renames') instance.name = `renamed-${instance.name.slice(0, 40)}`;
    if (deed.do === 'hand deletes') {
      removedByHand.add(instance.id);
      cloud.removeByHand(instance);
    }
  }

  function neighbourOf(target: Target): string | undefined {
    const ids = cluster
      .allRds()
      .filter(({ metadata }) => metadata.name !== target.name)
      .map(({ metadata }) => cluster.journal(metadata.uid ?? '')?.journal.id);
    return ids.find((id) => id !== undefined);
  }

  async function adoptNeighbour(target: Target): Promise<void> {
    const id = neighbourOf(target);
    if (id !== undefined) await annotate(target, ANNOTATIONS.adopt, id);
  }

  async function asUser(target: Target, deed: Deed): Promise<void> {
    const { namespace, name } = target;
    switch (deed.do) {
      case 'create':
        return create(target, deed);
      case 'recreate':
        return recreate(target);
      case 'grow':
        return edit(target, (wish) => ({
          ...wish,
          spec: { ...wish.spec, volumesize: (wish.spec.volumesize ?? 40) + deed.byGb },
        }));
      case 'shrink':
        return editSpec(target, { volumesize: 40 });
      case 'spec':
        return editSpec(target, deed.change as Partial<RdsSpec>);
      case 'new password':
        return changePassword(target, deed.value);
      case 'flavor':
        return editSpec(target, { flavorref: deed.to });
      case 'restore in place': {
        const instance = instanceOf(target);
        const time = cloud.now() - RESTORABLE_AFTER_MS;
        const isCovered = Object.values(cloud.world().backups).some(
          ({ instanceId, endAt }) => instanceId === instance?.id && (endAt ?? time) < time,
        );
        const backuprestoretime = new Date(time).toISOString();
        return instance && isCovered ? editSpec(target, { backuprestoretime }) : undefined;
      }
      case 'drill':
        cloud.addBackup(instanceOf(target));
        return editSpec(target, { backup: { drill: { schedule: `*/${deed.everyMinutes} * * * *` } } });
      case 'policy':
        return editSpec(target, { deletionPolicy: deed.to });
      case 'pause':
        return editSpec(target, { paused: deed.on });
      case 'dry-run':
        return annotate(target, ANNOTATIONS.dryRun, deed.on ? 'true' : undefined);
      case 'restart':
        return annotate(target, ANNOTATIONS.restart, deed.order);
      case 'reboot by status':
        return orderByStatus(target, { reboot: true });
      case 'order logs':
        return annotate(target, ANNOTATIONS.logs, deed.value);
      case 'logs by status':
        return orderByStatus(target, { logs: true });
      case 'reconcile':
        return annotate(target, ANNOTATIONS.reconcile, deed.order);
      case 'declare':
        return declare(target, deed);
      case 'new user password':
        return changeUserPassword(target, deed.value);
      case 'allow':
        return annotate(target, ANNOTATIONS.shareWith, deed.value ?? undefined);
      case 'relabel':
        await cluster.patch(namespace, name, { metadata: { labels: { note: deed.value } } });
        return;
      case 'adopt foreign':
        return annotate(target, ANNOTATIONS.adopt, foreignFor.get(keyOf(target)) ?? 'no-such-instance');
      case 'adopt of neighbour':
        return adoptNeighbour(target);
      case 'withdraw adoption':
        return annotate(target, ANNOTATIONS.adopt, undefined);
      case 'hold':
        return hold(target);
      case 'delete':
        await cluster.remove(namespace, name, deed.foreground ? 'Foreground' : undefined);
        return;
      case 'force-delete':
        return annotate(target, ANNOTATIONS.forceDelete, 'true');
      case 'delete namespace':
        await cluster.call('DELETE', `/api/v1/namespaces/${namespace}`);
        return;
      case 'delete CRD':
        await cluster.call('DELETE', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${CRD_NAME}`);
        return;
      default:
        return byHand(target, deed);
    }
  }

  return {
    foreign,
    removedByHand,
    broken,
    letGo,
    specChanges: () => specChanges,
    wishOf: (target: Target): RdsSpec | undefined => wishes.get(keyOf(target))?.spec,
    /** When the faults are over nobody holds anything back any more. */
    async release(targets: readonly Target[]): Promise<void> {
      await letGo();
      for (const instance of Object.values(cloud.world().instances))
        cloud.load(instance, { cpu: 5, mem: 5, disk: 5 });
      for (const target of targets) {
        const { backup: _drills, ...spec } = wishes.get(keyOf(target))?.spec ?? {};
        await edit(target, (wish) => ({ ...wish, spec: { ...withoutRotation(spec), paused: false } }));
        await annotate(target, ANNOTATIONS.dryRun, undefined);
      }
    },
    async perform(target: Target, deed: Deed): Promise<void> {
      if (deed.do === 'foreign backup') {
        const instance = cloud.addForeign('somebody-elses');
        foreign.add(instance.id);
        cloud.addBackup(instance);
        return;
      }
      if (deed.do === 'foreign namesake') {
        const instance = cloud.addForeign(
          `${target.namespace}_${target.name}${deed.remade ? '_0123456789ab' : ''}`,
        );
        foreign.add(instance.id);
        foreignFor.set(keyOf(target), instance.id);
        return;
      }
      return asUser(target, deed);
    },
  };
}
