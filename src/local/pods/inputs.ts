// What a container sees: its environment and its volumes' files, from the objects the pod refers to. As with a
// kubelet, a missing reference keeps the pod waiting.
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { KubeCall, KubeObject } from '../../kube/api.ts';
import type { Container, EnvVar, Pod, ProjectedSource, Volume } from './types.ts';

/** The pod asks for something that this stand-in for a kubelet does not have. */
export class Unsupported extends Error {}

type Keyed = KubeObject & { data?: Record<string, string>; binaryData?: Record<string, string> };

const DEADLINE_MS = 10_000;

async function readKeyed(kube: KubeCall, pod: Pod, resource: 'secrets' | 'configmaps', name: string) {
  const path = `/api/v1/namespaces/${pod.metadata.namespace}/${resource}/${name}`;
  const { status, body } = await kube({ method: 'GET', path, deadlineMs: DEADLINE_MS });
  if (status === 404) return undefined;
  if (status !== 200) throw new Error(`the API server answered ${status} for ${resource} ${name}`);
  const object = body as Keyed;
  const decoded = resource === 'secrets' ? object.data : object.binaryData;
  const files = new Map<string, Buffer>();
  for (const [key, value] of Object.entries(decoded ?? {})) files.set(key, Buffer.from(value, 'base64'));
  if (resource === 'configmaps') {
    for (const [key, value] of Object.entries(object.data ?? {})) files.set(key, Buffer.from(value));
  }
  return files;
}

function fieldOf(pod: Pod, fieldPath: string): string {
  const keyed = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(fieldPath);
  if (keyed?.[1] && keyed[2]) {
    return pod.metadata[keyed[1] === 'labels' ? 'labels' : 'annotations']?.[keyed[2]] ?? '';
  }
  const fields: Record<string, string | undefined> = {
    'metadata.name': pod.metadata.name,
    'metadata.namespace': pod.metadata.namespace,
    'metadata.uid': pod.metadata.uid,
    'spec.nodeName': pod.spec.nodeName,
    'status.podIP': '127.0.0.1',
    'status.hostIP': '127.0.0.1',
  };
  const value = fields[fieldPath];
  if (value === undefined) throw new Unsupported(`fieldRef ${fieldPath}`);
  return value;
}

async function envValue(
  kube: KubeCall,
  pod: Pod,
  { name, value, valueFrom }: EnvVar,
): Promise<string | undefined> {
  if (!valueFrom) return value ?? '';
  if (valueFrom.fieldRef) return fieldOf(pod, valueFrom.fieldRef.fieldPath);
  const ref = valueFrom.secretKeyRef ?? valueFrom.configMapKeyRef;
  if (!ref) throw new Unsupported(`the source of env ${name}`);
  const resource = valueFrom.secretKeyRef ? 'secrets' : 'configmaps';
  const found = (await readKeyed(kube, pod, resource, ref.name))?.get(ref.key);
  if (found === undefined && !ref.optional) throw new Error(`${resource} ${ref.name} has no key ${ref.key}`);
  return found?.toString();
}

const expand = (text: string, env: Record<string, string>): string =>
  text.replace(/\$\$|\$\(([A-Za-z_][A-Za-z0-9_]*)\)/g, (whole, name: string | undefined) =>
    name === undefined ? '$' : (env[name] ?? whole),
  );

/** The container's env, in order, with $(NAME) expanded as Kubernetes does; the args likewise. */
export async function containerInputs(kube: KubeCall, pod: Pod, container: Container) {
  if (container.envFrom?.length) throw new Unsupported('envFrom');
  const env: Record<string, string> = {};
  for (const variable of container.env ?? []) {
    const value = await envValue(kube, pod, variable);
    if (value !== undefined) env[variable.name] = variable.valueFrom ? value : expand(value, env);
  }
  const expandAll = (words: string[] | undefined) => words?.map((word) => expand(word, env));
  return { env, command: expandAll(container.command), args: expandAll(container.args) };
}

/** Several sources in one folder, or the volume's only one. */
function sourcesOf({ secret, configMap, projected }: Volume): ProjectedSource[] {
  if (secret) return [{ secret: { ...secret, name: secret.secretName } }];
  if (configMap) return [{ configMap }];
  const { defaultMode, sources = [] } = projected ?? {};
  const mode = defaultMode === undefined ? {} : { defaultMode };
  return sources.map(({ secret: first, configMap: other }) => ({
    ...(first ? { secret: { ...mode, ...first } } : {}),
    ...(other ? { configMap: { ...mode, ...other } } : {}),
  }));
}

const isSupported = (volume: Volume): boolean =>
  volume.emptyDir !== undefined ||
  (sourcesOf(volume).length > 0 && sourcesOf(volume).every((one) => one.secret ?? one.configMap));

async function writeFiles(options: VolumeOptions, from: ProjectedSource, dir: string): Promise<void> {
  const { kube, pod, hasOwnUser } = options;
  const source = from.secret ?? from.configMap;
  if (!source) return;
  const { name } = source;
  const resource = from.secret ? 'secrets' : 'configmaps';
  const files = await readKeyed(kube, pod, resource, name);
  if (!files && !source.optional) throw new Error(`${resource} ${name} not found`);
  const all = [...(files?.keys() ?? [])].map((key) => ({ key, path: key, mode: undefined }));
  const { fsGroup } = pod.spec.securityContext ?? {};
  for (const { key, path, mode = source.defaultMode ?? 0o644 } of source.items ?? all) {
    const content = files?.get(key);
    if (content)
      await (hasOwnUser
        ? writeOwned(join(dir, path), content, mode, fsGroup)
        : writeMine(join(dir, path), content));
    else if (!source.optional) throw new Error(`${resource} ${name} has no key ${key}`);
  }
}

/** A kubelet gives the files to the pod's fsGroup and lets the group read them. */
async function writeOwned(file: string, content: Buffer, mode: number, group?: number): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  if (group !== undefined) await chown(file, 0, group);
  await chmod(file, group === undefined ? mode : mode | 0o440);
}

/** Whatever the pod asks for: its processes are ours, and nobody else on this machine may read along. */
async function writeMine(file: string, content: Buffer): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content, { mode: 0o600 });
}

type VolumeOptions = {
  kube: KubeCall;
  pod: Pod;
  /** Containers run as the pod's user, and this process may give files away. */
  hasOwnUser: boolean;
};

/** Makes each volume below `dir` and returns its folder by name. */
export async function writeVolumes(options: VolumeOptions, dir: string): Promise<Map<string, string>> {
  const { pod } = options;
  const folders = new Map<string, string>();
  for (const volume of pod.spec.volumes ?? []) {
    if (!isSupported(volume))
      throw new Unsupported(`volume ${volume.name} (for a token, set automountServiceAccountToken: false)`);
    const folder = join(dir, volume.name);
    await mkdir(folder, { recursive: true });
    await chmod(folder, volume.emptyDir ? 0o777 : 0o755);
    for (const source of sourcesOf(volume)) await writeFiles(options, source, folder);
    folders.set(volume.name, folder);
  }
  return folders;
}
