// What a namespace gets, from what it asks for and what each Rds allows, read live. Whoever is not allowed learns
// nothing: an Rds that does not exist and one that does not share are told in the same words.

import { PART, USER_PART } from '../../../rds/job-state.ts';
import { ANNOTATIONS, connectionSecretName } from '../../../rds/names.ts';
import {
  type Asked,
  allowedBy,
  askedFor,
  belongsTo,
  copyName,
  isAllowed,
  isUser,
  SHAREABLE,
} from '../../../rds/sharing.ts';
import type { ChildObject } from '../../decide/observed.ts';

export type LiveRds = {
  uid: string;
  shareWith: string | undefined;
  /** The names that are declared. */
  users: readonly string[];
  /** It is being deleted, and its Secrets may go before it: those that a live read has shown. */
  going?: { left: readonly string[] };
};

export type SharedNamespace = { name: string; uid: string; annotations: Record<string, string> };

export type ShareView = {
  namespace: SharedNamespace;
  /** Copies that are there. */
  attachments: readonly ChildObject[];
  /** Everything that is marked as shareable, by its place in the cluster. */
  shareable: readonly { key: string; secret: ChildObject }[];
  /** `namespace/name` of each Rds that is asked for; absent: there is none. */
  live: ReadonlyMap<string, LiveRds>;
};

/** `copy`: what the namespace gets under this name. */
export type Answered = { asked: Asked; copy?: ChildObject; because?: string };

const UNKNOWN = 'it does not exist or is not shared with this namespace';

export function answers(view: ShareView): Answered[] {
  const { asked } = askedFor(view.namespace.annotations[ANNOTATIONS.useRds]);
  return asked.map((one) => ({ asked: one, ...answerTo(view, one) }));
}

function answerTo(view: ShareView, asked: Asked): Omit<Answered, 'asked'> {
  const { namespace } = view;
  if (asked.namespace === namespace.name) return { because: 'it is in this namespace: use its own Secret' };
  const live = view.live.get(`${asked.namespace}/${asked.rds}`);
  if (!live) return { because: UNKNOWN };
  const { allowed } = allowedBy(live.shareWith);
  if (!allowed.some((one) => one.namespace === namespace.name)) return { because: UNKNOWN };
  const sources = view.shareable.filter((one) => isOf(one, asked, live)).map(({ secret }) => secret);
  const wanted = sources.filter((secret) => isWanted(secret, asked));
  const [source] = wanted;
  if (wanted.length > 1) return { because: 'several users have this name: add @ and the host' };
  if (source && !isAllowedFor(source, allowed, namespace.name)) return { because: UNKNOWN };
  if (source) return { copy: copyOf(namespace.name, asked.namespace, source) };
  // A Secret that a picture from the past took its marks from is still allowed: what is there stays.
  const kept = view.attachments.find(
    (one) => isCopyFor(one, asked, live) && isAllowedFor(one, allowed, namespace.name),
  );
  if (kept) return { copy: again(kept) };
  const mayKnow = isAllowed(allowed, namespace.name, asked.user);
  return { because: mayKnow ? 'its Secret is not there yet' : UNKNOWN };
}

/** Its own place and owner say so, not only what is written on it. */
function isOf({ key, secret }: ShareView['shareable'][number], asked: Asked, { uid }: LiveRds): boolean {
  const { namespace, name, labels, annotations, ownerReferences = [] } = secret.metadata;
  const owner = belongsTo({ namespace: asked.namespace, name: asked.rds, uid });
  return (
    namespace === asked.namespace &&
    key === `${namespace}/${name}` &&
    labels?.[SHAREABLE] === 'true' &&
    annotations?.[ANNOTATIONS.belongsTo] === owner &&
    ownerReferences.some((one) => one.uid === uid && one.kind === 'Rds' && one.controller === true)
  );
}

function isWanted({ metadata }: ChildObject, { rds, user }: Asked): boolean {
  if (user === undefined) return metadata.name === connectionSecretName(rds);
  if (metadata.labels?.[PART] !== USER_PART) return false;
  return metadata.name === user || isUser(metadata.annotations?.[ANNOTATIONS.account] ?? '', user);
}

function isAllowedFor(
  { metadata }: ChildObject,
  allowed: ReturnType<typeof allowedBy>['allowed'],
  namespace: string,
): boolean {
  const account = metadata.annotations?.[ANNOTATIONS.account];
  return (
    isAllowed(allowed, namespace, undefined) ||
    (account !== undefined &&
      allowed.some((one) => one.namespace === namespace && isUser(account, one.user ?? '')))
  );
}

const COPY_OF = 'otc.mcsps.de/copy-of';

function copyOf(namespace: string, from: string, source: ChildObject): ChildObject {
  const { name, annotations } = source.metadata;
  const account = annotations?.[ANNOTATIONS.account];
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: copyName(from, name),
      namespace,
      labels: { 'app.kubernetes.io/managed-by': 'rds-pilot' },
      annotations: {
        [COPY_OF]: `${from}/${name}`,
        [ANNOTATIONS.belongsTo]: annotations?.[ANNOTATIONS.belongsTo] ?? '',
        ...(account === undefined ? {} : { [ANNOTATIONS.account]: account }),
      },
    },
    type: source.type,
    data: source.data,
  };
}

/** The name of the Secret that this is a copy of; undefined: it was not made for this very Rds. */
export function sourceName(
  { metadata: { annotations = {} } }: ChildObject,
  rds: { namespace: string; name: string; uid: string },
): string | undefined {
  const [from, name] = (annotations[COPY_OF] ?? '').split('/');
  return from === rds.namespace && annotations[ANNOTATIONS.belongsTo] === belongsTo(rds) ? name : undefined;
}

/** Made for this very Rds, which has such a Secret. */
function isCopyFor(copy: ChildObject, asked: Asked, { uid, users, going }: LiveRds): boolean {
  const { annotations = {} } = copy.metadata;
  const name = sourceName(copy, { namespace: asked.namespace, name: asked.rds, uid });
  if (name === undefined || going?.left.includes(name) === false) return false;
  if (asked.user === undefined) return name === connectionSecretName(asked.rds);
  const account = annotations[ANNOTATIONS.account] ?? '';
  const isDeclared = users.some((user) => isUser(account, user));
  return isDeclared && (name === asked.user || isUser(account, asked.user));
}

/** Only what is ours of it. */
export function again({ apiVersion, kind, metadata, type, data }: ChildObject): ChildObject {
  const { name, namespace, labels = {}, annotations = {} } = metadata;
  const isOurs = ([key]: [string, string]) => key.startsWith('otc.mcsps.de/');
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels,
      annotations: Object.fromEntries(Object.entries(annotations).filter(isOurs)),
    },
    type,
    data,
  };
}

const MOST_WORDS = 8_000;

/** What became of each wish, as the namespace's annotation tells it; null where nothing is asked for. */
export function resultText(
  annotations: Record<string, string>,
  answered: readonly Answered[],
): string | null {
  const { refused } = askedFor(annotations[ANNOTATIONS.useRds]);
  const words = [
    ...answered.map(
      ({ asked, copy, because }) => `${asked.text}: ${copy ? `Secret ${copy.metadata.name}` : because}`,
    ),
    ...refused.map(({ text, because }) => `${text.slice(0, 80)}: ${because}`),
  ];
  return words.length > 0 ? words.join('; ').slice(0, MOST_WORDS) : null;
}
