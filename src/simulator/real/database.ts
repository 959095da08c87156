// What the hosting asks of a database engine, whichever it is. One file per engine does it with the engine's clients.

export type Login = { user: string; password: string; host: string; port: number };

/** What was on a server before its instance: never dumped, never dropped. */
export type Belongings = { databases: string[]; users: string[] };

export type Server = {
  admin: Login;
  belongings: Belongings;
  /** The source address of forwarded connections, where it decides who `root` is. */
  forwardsFrom: string | undefined;
};

export type Database = {
  /** Everything that is on the server now. */
  survey(admin: Login): Promise<Belongings>;
  /** Makes the instance's root: a login that may do much, but no superuser. */
  createRoot(server: Server, password: string): Promise<void>;
  /** Throws when the login is refused. */
  logIn(login: Login): Promise<void>;
  setRootPassword(server: Server, password: string): Promise<void>;
  /** Drops what the instance has made; its root too, unless it is kept. */
  clear(server: Server, keeps: { root: boolean }): Promise<void>;
  dump(server: Server, folder: string, only: readonly string[] | undefined): Promise<void>;
  /** After `clear`: fills the instance from a dump, logins included, root excepted. */
  load(server: Server, folder: string): Promise<void>;
};

export const ROOT = 'root';
