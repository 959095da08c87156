// Lists come in pages by record index, and may change between two of them: an incomplete list is never handed on
// as if it were whole.

import { RetryableError } from '../errors.ts';
import type { Fresh } from './cloud.ts';
import type { Json } from './json.ts';
import { numberOf } from './json.ts';

export type Page<T> = { items: readonly T[]; total: number | undefined };

export type FetchPage<T> = (offset: number) => Promise<Fresh<Page<T>>>;

export const totalOf = (body: Json): number | undefined => numberOf(body, 'total_count');

const attempts = 2;

export async function collectPages<T extends { id: string }>(
  fetchPage: FetchPage<T>,
  limit: number,
): Promise<Fresh<T[]>> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const list = await collectOnce(fetchPage, limit);
    if (list) return list;
  }
  const message = 'LIST_CHANGED: the list changed while it was read';
  throw new RetryableError(message, { code: 'LIST_CHANGED', outcome: 'refused' });
}

/** Nothing, if the pages do not fit together. */
async function collectOnce<T extends { id: string }>(
  fetchPage: FetchPage<T>,
  limit: number,
): Promise<Fresh<T[]> | undefined> {
  const byId = new Map<string, T>();
  let at: number | undefined;
  let total: number | undefined;
  for (let offset = 0; ; ) {
    const page = await fetchPage(offset);
    const { items } = page.value;
    if (at !== undefined && page.value.total !== total) return undefined;
    total = page.value.total;
    at ??= page.at;
    for (const item of items) byId.set(item.id, item);
    offset += items.length;
    if (byId.size !== offset) return undefined;
    if (items.length < limit || offset === total) break;
  }
  return total === undefined || byId.size === total ? { value: [...byId.values()], at } : undefined;
}
