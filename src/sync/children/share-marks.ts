// Marks on Secrets that another namespace may have: made anew from the Rds in every answer, also where the rest of the
// Secret is repeated as it was seen.

import { PART, USER_PART } from '../../rds/job-state.ts';
import { ANNOTATIONS, connectionSecretName } from '../../rds/names.ts';
import type { Rds } from '../../rds/object.ts';
import { SHAREABLE, shareMarks } from '../../rds/sharing.ts';
import type { ChildObject } from '../decide/observed.ts';

const MARKS: readonly string[] = [SHAREABLE, ANNOTATIONS.belongsTo, ANNOTATIONS.shareWith];

function without(values: Record<string, string> | undefined): Record<string, string> {
  const others: Record<string, string> = {};
  for (const key in values) if (!MARKS.includes(key)) others[key] = values[key] ?? '';
  return others;
}

const isMarked = (values: Record<string, string> | undefined): boolean =>
  values !== undefined && MARKS.some((mark) => mark in values);

export function withShareMarks(rds: Rds, child: ChildObject): ChildObject {
  const { name, labels, annotations } = child.metadata;
  const isLogin = name === connectionSecretName(rds.metadata.name) || labels?.[PART] === USER_PART;
  if (child.kind !== 'Secret' || !isLogin) return child;
  const marks = shareMarks(rds);
  if (!marks && !isMarked(labels) && !isMarked(annotations)) return child;
  const marked = { ...without(annotations), ...marks?.annotations };
  const { annotations: _before, ...metadata } = child.metadata;
  return {
    ...child,
    metadata: {
      ...metadata,
      labels: { ...without(labels), ...marks?.labels },
      ...(Object.keys(marked).length > 0 ? { annotations: marked } : {}),
    },
  };
}
