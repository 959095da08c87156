// Where a container's paths come from when there is no container engine. This box replaces paths in arguments and
// environment; user and read-only root are not enforced. Whoever can do better brings another one.

export type Mount = { source: string; path: string; readOnly: boolean };

export type BoxedCommand = {
  argv: string[];
  env: Record<string, string>;
  cwd: string;
  mounts: Mount[];
  user: number;
  group: number;
  groups: number[];
  readOnlyRoot: boolean;
  /** An empty folder for the box's own use. */
  boxDir: string;
};

export type Launch = { command: string; args: string[]; env: Record<string, string>; cwd: string };

export type Box = {
  launch: (boxed: BoxedCommand) => Launch;
  /** Containers run as the pod's user, and this process may give files away. */
  hasOwnUser: boolean;
};

export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function launchWithPathsReplaced({ argv, env, cwd, mounts }: BoxedCommand): Launch {
  const sources = new Map(mounts.map(({ path, source }) => [path.replace(/\/$/, ''), source]));
  // One pass with the longest path first: what was put in must not be replaced again.
  const paths = [...sources.keys()].sort((a, b) => b.length - a.length).map(escaped);
  const pattern = new RegExp(`(?<![\\w./-])(?:${paths.join('|')})(?![\\w.-])`, 'g');
  const local = (text: string): string =>
    paths.length === 0 ? text : text.replaceAll(pattern, (path) => sources.get(path) ?? path);
  const [command = 'false', ...args] = argv.map(local);
  const localEnv = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, local(value)]));
  const path = localEnv.PATH ? `${localEnv.PATH}:${SYSTEM_PATH}` : SYSTEM_PATH;
  return { command, args, env: { ...localEnv, PATH: path }, cwd: local(cwd) };
}

export const replacedPaths: Box = { launch: launchWithPathsReplaced, hasOwnUser: false };
