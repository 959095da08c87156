// Label selectors in their two forms: the object in manifests and hook answers, the string in a list query.

import { isRecord } from './json.ts';

export type LabelSelector = {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
};

type Labels = Readonly<Record<string, string>> | undefined;

export const isEmptySelector = (selector: LabelSelector): boolean =>
  Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0;

export const asLabelSelector = (value: unknown): LabelSelector | undefined =>
  isRecord(value) ? (value as LabelSelector) : undefined;

/** An absent selector selects everything. */
export const matchesSelector = (selector: LabelSelector | undefined, labels: Labels): boolean => {
  const wanted = Object.entries(selector?.matchLabels ?? {});
  return (
    wanted.every(([key, value]) => labels?.[key] === value) &&
    (selector?.matchExpressions ?? []).every((one) => matchesExpression(one, labels))
  );
};

const matchesExpression = (
  one: { key: string; operator: string; values?: string[] },
  labels: Labels,
): boolean => {
  const value = labels?.[one.key];
  switch (one.operator) {
    case 'In':
      return value !== undefined && (one.values ?? []).includes(value);
    case 'NotIn':
      return value === undefined || !(one.values ?? []).includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      throw new Error(`"${one.operator}" is not a valid label selector operator`);
  }
};

/** The equality part of the query syntax: `a=b,c==d,e!=f,g`. */
export const matchesQuery = (query: string, labels: Labels): boolean =>
  query
    .split(',')
    .filter((term) => term.trim() !== '')
    .every((term) => matchesTerm(term.trim(), labels));

const matchesTerm = (term: string, labels: Labels): boolean => {
  const parts = /^([^!=]+?)\s*(!=|==?)\s*(.*)$/.exec(term);
  if (!parts) return labels?.[term] !== undefined;
  const [, key = '', operator, value] = parts;
  return operator === '!=' ? labels?.[key] !== value : labels?.[key] === value;
};
