import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { requestIsLive } from '../../src/kube/live.ts';
import { condition, createWorld, SECOND } from '../support/world.ts';

const folder = process.env.HOOK_RECORDINGS;
const skip = folder ? false : 'HOOK_RECORDINGS names no folder with hook requests of a real Metacontroller';

t.test(
  'requests recorded from a real Metacontroller are answered as a life from create to delete',
  { skip },
  async (t) => {
    // As with curl: no API server has these objects, so the request is the newest view there is.
    const world = await createWorld({ deps: { readLive: requestIsLive } });
    t.teardown(() => world.stop());
    const ask = async (hook: string, name: string) => {
      const { body } = JSON.parse(readFileSync(join(folder ?? '', `${name}.json`), 'utf8')) as {
        body: object;
      };
      const answer = world.app.inject({ method: 'POST', url: `/${hook}`, payload: body });
      await world.clock.advance(5 * SECOND);
      const response = await answer;
      t.equal(response.statusCode, 200, name);
      return response.json();
    };
    const { relatedResources } = await ask('customize', 'customize');
    t.match(relatedResources, [{ resource: 'secrets', namespace: 'team-a' }]);
    const first = await ask('sync', 'sync-first');
    t.match(condition(first.status, 'Ready'), { status: 'False', reason: 'Preparing' });
    t.match(first.status.plan, [{ to: 'team-a_shop_4bc725aba311', impact: 'newServer' }]);
    const settled = await ask('sync', 'sync-settled');
    t.equal(settled.status.phase, 'Creating');
    t.equal(settled.status.id, world.simulator.state.instances[0]?.id);
    t.same(
      settled.children.map(({ kind }: { kind: string }) => kind),
      ['Service', 'EndpointSlice'],
      'what is seen and not known yet is repeated, what is not ours is left out',
    );
    const deleting = await ask('finalize', 'finalize-first');
    t.match(condition(deleting.status, 'Progressing'), { status: 'True', reason: 'Deleting' });
    t.notOk(deleting.finalized);
    const last = await ask('finalize', 'finalize-last');
    t.match(condition(last.status, 'Progressing'), { reason: 'Busy', message: /The delete waits/ });
    t.notOk(last.finalized, 'not before the instance is backed up and gone');
    t.equal(world.creates(), 1);
  },
);
