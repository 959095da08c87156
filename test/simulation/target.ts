// Which Rds a deed is about.

export type Target = { namespace: string; name: string };
