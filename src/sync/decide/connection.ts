// The login that the connection Secret hands out: root's, or the one that took its place.

import { ANNOTATIONS } from '../../rds/names.ts';
import type { EngineName } from '../../rds/spec.ts';
import type { Observed } from './observed.ts';
import { passwordState, passwordVersion, publishedPassword, toldVersion } from './password.ts';
import { readJournal } from './remembered.ts';
import { currentDrawing, currentLogin, isPublished, provenDrawing, ROOT, rotatingRoot } from './rotating.ts';

export type ConnectionWish = {
  engine: EngineName;
  username: string;
  password: string;
  annotations?: Record<string, string>;
};

const DB_USER: Record<string, string> = { SQLServer: 'rdsuser' };

/** Undefined: not known in this call, so the Secret stays as it is. */
export function connectionWish(o: Observed): ConnectionWish | undefined {
  const rotating = rotatingRoot(o);
  if (!rotating) return rootsWish(o);
  // Without the journal a Secret that holds another login may well be right.
  const isUnsure = rotating.kept.published && !isPublished(rotating) && !provenDrawing(rotating);
  if (!readJournal(o) && isUnsure) return undefined;
  const username = currentLogin(rotating);
  if (username === rotating.logins.root) return rootsWish(o);
  const drawing = currentDrawing(rotating);
  if (!drawing) return undefined;
  const version = passwordState(o) === 'same' ? passwordVersion(o) : (toldVersion(o) ?? '');
  return {
    engine: o.spec.datastoretype,
    username,
    password: drawing.password,
    annotations: { [ANNOTATIONS.draw]: drawing.mark, [ANNOTATIONS.rootVersion]: version },
  };
}

/** Until the cloud has a new password, clients get the one that still works. */
function rootsWish(o: Observed): ConnectionWish | undefined {
  const password = passwordState(o) === 'same' ? o.password.value : publishedPassword(o);
  const { datastoretype: engine } = o.spec;
  return password === undefined ? undefined : { engine, username: DB_USER[engine] ?? ROOT, password };
}
