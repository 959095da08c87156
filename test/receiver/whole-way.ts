// The whole way on this machine: an Rds on the local loop, its instance in a simulated cloud that is reached and posts
// over https, and replicas of the real service with their alarm ports.

import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import pino from 'pino';
import type { Test } from 'tap';
import { systemClock } from '../../src/clock.ts';
import { readConfig } from '../../src/config.ts';
import type { KubeObject } from '../../src/kube/api.ts';
import type { CallHook } from '../../src/local/hook-call.ts';
import { createLaptop } from '../../src/local/laptop.ts';
import { instanceDimension } from '../../src/otc/ces-wire.ts';
import { readCredentials } from '../../src/otc/credentials.ts';
import { createOpenCloud } from '../../src/otc/open.ts';
import { createUndiciSend } from '../../src/otc/undici-send.ts';
import { ANNOTATIONS, topicName } from '../../src/rds/names.ts';
import type { RdsStatus } from '../../src/rds/status.ts';
import { createService } from '../../src/service.ts';
import { demoVariables } from '../../src/simulator/demo-account.ts';
import { createSimulator, type Simulator } from '../../src/simulator/simulator.ts';
import { deliverOverHttp } from '../../src/simulator/smn/http-deliver.ts';
import { signingIdentity } from '../../src/simulator/smn/signing.ts';
import { waitFor } from '../cluster/wait-for.ts';
import { tlsOfHost } from './authorities.ts';

/** Five minutes of metrics are half a second. */
const SPEED = 600;
const PULSE_MS = 50;
/** What the loop still waits for must not keep the test alive. */
const clock = {
  ...systemClock,
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref()),
};
const RDS = '/apis/otc.mcsps.de/v1alpha1/namespaces/default/rdss/shop';

/** The simulator behind TLS: links of messages are https then, as they are in the cloud. */
async function serveOverTls(t: Test): Promise<{ simulator: Simulator; url: string }> {
  let simulator: Simulator | undefined;
  const server = createServer(tlsOfHost, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = request.headers as Record<string, string>;
    const [method = 'GET', path = '/'] = [request.method, request.url];
    const body = Buffer.concat(chunks).toString();
    const reply = await simulator?.handle({ method, url: path, headers, body });
    response.writeHead(reply?.status ?? 500, reply?.headers).end(reply?.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  simulator = createSimulator({
    speed: SPEED,
    automatedBackups: false,
    baseUrl: url,
    deliver: deliverOverHttp,
  });
  const pulse = setInterval(simulator.settle, PULSE_MS);
  t.teardown(() => {
    clearInterval(pulse);
    server.close();
    server.closeAllConnections();
  });
  return { simulator, url };
}

export async function wholeWay(t: Test, { replicas }: { replicas: number }) {
  const { simulator, url } = await serveOverTls(t);
  const folder = t.testdir({
    'ca.pem': `${tlsOfHost.ca}${signingIdentity().authority.certificate}`,
    'tls.crt': tlsOfHost.cert,
    'tls.key': tlsOfHost.key,
  });
  const otc = demoVariables(url);
  const config = readConfig({
    ...otc,
    OTC_LIST_LAG_SECONDS: '0',
    OTC_LATE_EFFECT_SECONDS: '0',
    ABSENCE_GAP_SECONDS: '1',
    ALARM_PORT: '0',
    ALARM_TLS: 'on',
    TLS_CERT_FILE: join(folder, 'tls.crt'),
    TLS_KEY_FILE: join(folder, 'tls.key'),
    SMN_CA_FILE: join(folder, 'ca.pem'),
  });
  const laptop = await createLaptop({
    clock,
    controllerFiles: [new URL('../../metacontroller/controller.yaml', import.meta.url)],
    namespace: config.podNamespace,
    speed: 10,
    onProblem: (message) => t.comment(message),
  });
  const { send, close } = createUndiciSend({ ca: tlsOfHost.ca });
  const patches: string[] = [];
  const services = await Promise.all(
    Array.from({ length: replicas }, () =>
      createService({
        config,
        env: {},
        send,
        log: pino({ level: 'silent' }),
        kube: (request) => {
          if (request.method === 'PATCH') patches.push(request.path);
          return laptop.kube(request);
        },
        version: 'test',
      }),
    ),
  );
  const endpoints: string[] = [];
  for (const { alarms } of services) {
    if (!alarms) throw new Error('there is no alarm port');
    await alarms.listen({ host: '127.0.0.1', port: 0 });
    endpoints.push(`https://localhost:${(alarms.server.address() as AddressInfo).port}/otc`);
  }
  const [first] = services;
  if (!first) throw new Error('no replica');
  t.teardown(async () => {
    laptop.stop();
    await Promise.all(services.map((service) => service.close()));
    await close();
  });

  const openCloud = createOpenCloud({ send, clock, random: Math.random });
  const cloud = () => openCloud(readCredentials(otc), { remainingMs: () => 10_000 });
  const rds = (): KubeObject | undefined => laptop.objects('Rds')[0];
  const mark = () => rds()?.metadata.annotations?.[ANNOTATIONS.alarm];
  /** Marks that the hook was called with. */
  const synced: (string | undefined)[] = [];
  const callHook: CallHook = async (path, body) => {
    const { pathname } = new URL(path, 'http://hook');
    if (pathname === '/sync')
      synced.push((body as { parent: KubeObject }).parent.metadata.annotations?.[ANNOTATIONS.alarm]);
    const {
      statusCode,
      headers,
      body: answer,
    } = await first.app.inject({
      method: 'POST',
      url: pathname,
      payload: body as object,
    });
    return { status: statusCode, headers: headers as Record<string, string>, body: answer };
  };

  return {
    simulator,
    laptop,
    services,
    endpoints,
    patches,
    cloud,
    mark,
    synced,
    /** With the autopilot off the test itself makes topic and alarm. */
    async becomeReady(mode: 'Off' | 'Act' = 'Off'): Promise<{ uid: string; id: string }> {
      await laptop.start({ url: 'http://hook', watchHook: () => callHook });
      const spec = { endpoint: endpoints[0], password: 'Chang3-me_now', autopilot: { mode } };
      const body = {
        apiVersion: 'otc.mcsps.de/v1alpha1',
        kind: 'Rds',
        metadata: { name: 'shop', namespace: 'default' },
        spec,
      };
      await laptop.kube({ method: 'POST', path: RDS.replace(/\/shop$/, ''), body, deadlineMs: 1_000 });
      return waitFor('the Rds to be ready', () => {
        const shop = rds();
        const { phase, id } = (shop?.status ?? {}) as { phase?: string; id?: string };
        return phase === 'Ready' && id && shop?.metadata.uid ? { uid: shop.metadata.uid, id } : undefined;
      });
    },
    status: () => (rds()?.status ?? {}) as RdsStatus,
    /** What the autopilot does for an Rds with an endpoint. */
    async watchDisk({ uid, id }: { uid: string; id: string }): Promise<void> {
      const { urn } = await cloud().createTopic(topicName(uid));
      for (const endpoint of endpoints) await cloud().subscribe({ topicUrn: urn, endpoint });
      await waitFor('the subscriptions to be confirmed', async () => {
        const { value } = await cloud().subscriptions(urn);
        return value.every(({ status }) => status === 'confirmed');
      });
      await cloud().createAlarm({
        name: 'disk',
        description: 'nearly full',
        isEnabled: true,
        level: 2,
        metric: 'rds039_disk_util',
        dimension: instanceDimension({ engine: 'MySQL', id }),
        periodSeconds: 300,
        filter: 'average',
        operator: '>=',
        threshold: 90,
        unit: '%',
        count: 1,
        suppressSeconds: 0,
        topicUrns: [urn],
      });
    },
    async setDisk(id: string, disk: number): Promise<void> {
      const body = JSON.stringify({ id, disk });
      await simulator.handle({ method: 'POST', url: '/_sim/load', headers: {}, body });
    },
    outcomes: (service: (typeof services)[number]) => service.app.inject('/metrics').then(countsIn),
  };
}

function countsIn({ body }: { body: string }): Record<string, number> {
  const lines = body.matchAll(/^rds_pilot_alarm_messages_total\{result="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, result = '', count]) => [result, Number(count)]));
}
