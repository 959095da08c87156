import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { createWorld, ok, rdsPath, secret } from './toy.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

t.test('the children that a parent was shown are kept for it, and dropped with it', async (t) => {
  const shown: WeakRef<object>[] = [];
  const world = await createWorld(
    {},
    {
      callHook: async (path, body) => {
        if (path === '/customize') return ok({ relatedResources: [] });
        if (path === '/finalize') return ok({ children: [], finalized: true });
        const { children } = body as { children: object };
        if (Object.values(children).some((byName) => Object.keys(byName).length > 0))
          shown.push(new WeakRef(children));
        return ok({ status: {}, children: [secret('shop-root')] });
      },
    },
  );
  const areKept = async () => {
    await turn();
    collectGarbage();
    return shown.some((one) => one.deref() !== undefined);
  };
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(1_000);
  t.ok(shown.length > 0);
  t.equal(await areKept(), true);
  await world.kube('DELETE', rdsPath());
  await world.clock.advance(100_000);
  t.equal(await areKept(), false);
});
