import t from 'tap';
import { RetryableError } from '../../src/errors.ts';
import { createScripted, failure, instancesRoute, type Script, wireInstance } from './scripted-cloud.ts';

const many = (count: number) => Array.from({ length: count }, (_, n) => wireInstance(n));

type Page = { offset: number; limit: number; n: number };

function pagesOf(list: (page: Page) => { instances: unknown[]; total_count?: number | undefined }): Script {
  return {
    [instancesRoute]: ({ url }, n) => {
      const { searchParams } = new URL(url);
      return {
        body: list({
          offset: Number(searchParams.get('offset')),
          limit: Number(searchParams.get('limit')),
          n,
        }),
      };
    },
  };
}

const honest = (all: unknown[]) =>
  pagesOf(({ offset, limit }) => ({ instances: all.slice(offset, offset + limit), total_count: all.length }));

for (const { count, calls } of [
  { count: 0, calls: 1 },
  { count: 1, calls: 1 },
  { count: 100, calls: 1 },
  { count: 101, calls: 2 },
  { count: 250, calls: 3 },
]) {
  t.test(`${count} instances are collected with ${calls} calls`, async (t) => {
    const cloud = createScripted(honest(many(count)));
    const snapshot = await cloud.open().snapshot(60);
    t.equal(snapshot.byId.size, count);
    t.equal(cloud.count(instancesRoute), calls);
  });
}

t.test('instances are found by id and by name, also two of the same name', async (t) => {
  const cloud = createScripted(
    honest([wireInstance(1), wireInstance(2, { name: 'twin' }), wireInstance(3, { name: 'twin' })]),
  );
  const { byId, byName } = await cloud.open().snapshot(60);
  t.equal(byId.get(wireInstance(1).id)?.name, 'team_db_1');
  t.equal(byName.get('twin')?.length, 2);
});

t.test('the snapshot is as old as its first page, by the clock of the cloud', async (t) => {
  const cloud = createScripted({
    [instancesRoute]: (_, n) => ({
      headers: { date: `Thu, 01 Jan 2026 00:00:0${n} GMT` },
      body: { instances: n === 1 ? many(100) : [wireInstance(100)], total_count: 101 },
    }),
  });
  t.equal((await cloud.open().snapshot(60)).at, Date.UTC(2026, 0, 1, 0, 0, 1));
});

t.test('an instance of an engine that we do not know is left out, but counted', async (t) => {
  const cloud = createScripted(
    honest([wireInstance(1), wireInstance(2, { datastore: { type: 'MariaDB', version: '10' } })]),
  );
  t.equal((await cloud.open().snapshot(60)).byId.size, 1);
});

const all = many(201);
const flaws = [
  {
    because: 'a page came back empty',
    list: ({ offset, limit }: Page) => ({
      instances: offset === 100 ? [] : all.slice(offset, offset + limit),
      total_count: 201,
    }),
  },
  {
    because: 'a page came back short',
    list: ({ offset, limit }: Page) => ({
      instances: all.slice(offset, offset + limit - 1),
      total_count: 201,
    }),
  },
  {
    because: 'an instance was deleted between two pages, so that one moved out of sight',
    list: ({ offset, limit }: Page) =>
      offset === 0
        ? { instances: all.slice(0, limit), total_count: 201 }
        : { instances: all.slice(offset + 1, offset + 1 + limit), total_count: 200 },
  },
  {
    because: 'an instance came up between two pages, so that one is shown twice',
    list: ({ offset, limit }: Page) =>
      offset === 0
        ? { instances: all.slice(0, limit), total_count: 201 }
        : { instances: all.slice(offset - 1, offset - 1 + limit), total_count: 201 },
  },
];

for (const { because, list } of flaws) {
  t.test(`an incomplete list is read again: ${because}`, async (t) => {
    let isFlawed = true;
    const script = pagesOf((page) => {
      if (page.n > 1 && page.offset === 0) isFlawed = false;
      return isFlawed
        ? list(page)
        : { instances: all.slice(page.offset, page.offset + page.limit), total_count: 201 };
    });
    t.equal((await createScripted(script).open().snapshot(60)).byId.size, 201);
  });

  t.test(`a list that stays incomplete is no snapshot: ${because}`, async (t) => {
    const cloud = createScripted(pagesOf(list));
    const error = await failure(cloud.open().snapshot(60));
    t.ok(error instanceof RetryableError);
    t.match(error, { code: 'LIST_CHANGED' });
  });
}

t.test('without a total, a short page is the end', async (t) => {
  const cloud = createScripted(
    pagesOf(({ offset, limit }) => ({ instances: all.slice(offset, offset + limit) })),
  );
  t.equal((await cloud.open().snapshot(60)).byId.size, 201);
});

for (const body of [
  {},
  { instances: null },
  { instances: [1] },
  { instances: [{}] },
  { instances: [{ id: 'x' }] },
]) {
  t.test(`an answer of ${JSON.stringify(body)} is not taken for an empty project`, async (t) => {
    const cloud = createScripted({ [instancesRoute]: () => ({ body }) });
    t.match(await failure(cloud.open().snapshot(60)), { code: 'UNREADABLE' });
  });
}

t.test('a snapshot is shared until it is too old for the caller', async (t) => {
  const cloud = createScripted(honest(many(3)));
  const first = await cloud.open().snapshot(60);
  await cloud.clock.advance(59_000);
  t.equal(await cloud.open().snapshot(60), first);
  t.not(await cloud.open().snapshot(5), first);
  t.equal(cloud.count(instancesRoute), 2);
});

t.test('callers at the same time share one flight', async (t) => {
  const cloud = createScripted(honest(many(150)));
  await Promise.all(Array.from({ length: 50 }, () => cloud.open().snapshot(60)));
  t.equal(cloud.count(instancesRoute), 2);
});

t.test('a flight that is too old for a caller is followed by one other, not joined', async (t) => {
  const cloud = createScripted({
    [instancesRoute]: async (_, n) => {
      await cloud.clock.sleep(6_000);
      return { body: { instances: [wireInstance(n)], total_count: 1 } };
    },
  });
  const first = cloud.open().snapshot(60);
  await cloud.clock.advance(5_500);
  const [strict, alsoStrict] = [cloud.open().snapshot(5), cloud.open().snapshot(5)];
  const easy = cloud.open().snapshot(60);
  t.equal(await cloud.clock.run(easy), await first);
  t.ok((await cloud.clock.run(strict)).byId.has(wireInstance(2).id));
  t.equal(await alsoStrict, await strict);
  t.equal(cloud.count(instancesRoute), 2);
});

t.test('a caller waits at most its own budget, while the flight goes on', async (t) => {
  const cloud = createScripted({
    [instancesRoute]: async () => {
      await cloud.clock.sleep(6_000);
      return { body: { instances: [], total_count: 0 } };
    },
  });
  const hasty = failure(cloud.open(3_000).snapshot(60));
  t.match(await cloud.clock.run(hasty), { code: 'BUDGET', outcome: 'refused' });
  await cloud.clock.advance(3_000);
  await cloud.open(100).snapshot(60);
  t.equal(cloud.count(instancesRoute), 1);
});

t.test('a failed flight fails all who waited, and the next caller starts anew', async (t) => {
  const cloud = createScripted({
    [instancesRoute]: (_, n) => (n === 1 ? { status: 500 } : { body: { instances: [], total_count: 0 } }),
  });
  const results = await Promise.allSettled([cloud.open().snapshot(60), cloud.open().snapshot(60)]);
  t.same(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  t.equal((await cloud.open().snapshot(60)).byId.size, 0);
});
