// Several test files in one process, one after the other: each is a test by its path, and has that test as its `t`.
import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';

/** Not as arguments: tap names the folders of a test after them. */
const wanted = JSON.parse(process.env.TEST_FILES ?? '[]') as string[];
const files = new Map(wanted.map((file) => [pathToFileURL(resolve(file)).href, file]));
const running: { t?: Test } = {};
Object.assign(globalThis, { testFileRunning: running });

registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== 'tap' || !files.has(context.parentURL ?? '')) return next(specifier, context);
    // A file of its own for each, or all would have the first one's.
    const source = `export default globalThis.testFileRunning.t; // ${context.parentURL}`;
    return {
      url: `data:text/javascript,${encodeURIComponent(source)}`,
      format: 'module',
      shortCircuit: true,
    };
  },
});

for (const [address, file] of files)
  void t.test(file, async (t) => {
    running.t = t;
    await import(address);
  });
