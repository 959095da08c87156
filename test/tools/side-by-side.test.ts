import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { REPOSITORY } from '../../tools/command.ts';
import { KNOWN_LONG, longestFirst } from '../../tools/file-times.ts';
import { runSideBySide } from '../../tools/side-by-side.ts';

/** Tasks that end when they are told to; `most` is how many ran at once. */
function stage(names: string[]) {
  const running = new Map<string, () => void>();
  const seen: string[] = [];
  return {
    seen,
    running,
    run: (name: string): Promise<void> =>
      new Promise((resolve) => {
        seen.push(name);
        running.set(name, () => {
          running.delete(name);
          resolve();
        });
      }),
    end: (name: string) => running.get(name)?.(),
    names,
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test('on busy cores the next one begins when one has ended', async (t) => {
  const { run, end, seen, names } = stage(['a', 'b', 'c']);
  const done = runSideBySide(names, run, { atLeast: 2, atMost: 4 }, () => 0);
  await turn();
  t.same(seen, ['a', 'b']);
  end('a');
  await turn();
  t.same(seen, ['a', 'b', 'c']);
  end('b');
  end('c');
  await done;
});

t.test('idle cores get one more at each look, up to the bound', async (t) => {
  const { run, end, seen, names } = stage(['a', 'b', 'c', 'd', 'e']);
  let looks = 0;
  const done = runSideBySide(names, run, { atLeast: 1, atMost: 3 }, () => {
    looks += 1;
    return 1;
  });
  while (looks < 5) await new Promise((resolve) => setTimeout(resolve, 50));
  t.same(seen, ['a', 'b', 'c']);
  for (const name of names) {
    while (!seen.includes(name)) await turn();
    end(name);
  }
  await done;
  t.same(seen, names);
});

t.test('a task that throws is not lost', async (t) => {
  await t.rejects(
    runSideBySide(['a'], async () => {
      throw new Error('broken');
    }),
    /broken/,
  );
});

t.test('the longest begin first, after those that nobody has timed, and groups last', async (t) => {
  const [long = ''] = KNOWN_LONG;
  const groups = [['a'], ['b'], ['c'], ['d'], ['a', 'b'], ['a', 'c'], [long]];
  t.same(longestFirst(groups, { a: 1, b: 3 }), [[long], ['c'], ['d'], ['b'], ['a'], ['a', 'c'], ['a', 'b']]);
});

t.test('the files that are known to be long are there', async (t) => {
  for (const file of KNOWN_LONG) t.ok(existsSync(join(REPOSITORY, file)), file);
});
