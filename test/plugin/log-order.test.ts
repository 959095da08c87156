import t from 'tap';
import type { RdsObject } from '../../src/plugin/cluster.ts';
import { orderFor } from '../../src/plugin/commands/logs.ts';
import { spanMs } from '../../src/rds/log-order.ts';

const LOGS = 'otc.mcsps.de/logs';
const MINUTE = 60_000;

t.test('the same span again is a new order for the same span', async (t) => {
  for (const minutes of [1, 30, 60, 90, 120, 24 * 60, 20 * 24 * 60 + 7, 30 * 24 * 60]) {
    let [annotated, handled] = ['', ''];
    for (let round = 0; round < 6; round += 1) {
      const rds = {
        metadata: { annotations: { [LOGS]: annotated } },
        status: { handled: { [LOGS]: handled } },
      };
      const order = orderFor(rds as unknown as RdsObject, minutes * MINUTE);
      t.notOk([annotated, handled].includes(order), `${minutes} minutes: ${order} is new`);
      t.equal(spanMs(order), minutes * MINUTE, `${order} is ${minutes} minutes`);
      [annotated, handled] = [order, annotated];
    }
  }
});
