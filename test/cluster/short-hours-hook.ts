// The hook as src/server.ts starts it, but an hour of the spec lasts HOUR_MS: rotations come while a test waits. The
// simulated cloud answers at once, so that nothing has to settle for long either.
import { readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { createUndiciSend } from '../../src/otc/undici-send.ts';
import { createService } from '../../src/service.ts';

const SETTLE_MS = 12_000;
const config = readConfig(process.env);
const hourMs = Number(process.env.HOUR_MS);
if (!(hourMs > 0)) throw new Error('HOUR_MS: how long an hour of the spec lasts');

const { send, close } = createUndiciSend();
const service = await createService({
  config: { ...config, timing: { ...config.timing, settleMs: SETTLE_MS, hourMs } },
  env: process.env,
  send,
  log: createLogger(config.logLevel),
  version: 'short hours',
});
process.once('SIGTERM', async () => {
  await service.close();
  await close();
});
await service.app.listen({ host: config.host, port: config.port });
