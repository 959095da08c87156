import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import pino from 'pino';
import t from 'tap';
import { readTls, reloadTls } from '../src/tls-reload.ts';

function makeCertificate(folder: string, name: string): void {
  const subject = ['-subj', `/CN=${name}`, '-days', '1'];
  const files = ['-keyout', join(folder, 'tls.key'), '-out', join(folder, 'tls.crt')];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, ...files], {
    stdio: 'ignore',
  });
}

function servedName(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

t.test('a renewed certificate is served without a restart, and a broken one is not', async (t) => {
  const folder = t.testdir();
  try {
    makeCertificate(folder, 'first');
  } catch {
    t.comment('openssl is missing: not tried');
    return;
  }
  const files = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const server = createServer(readTls(files));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = reloadTls(server, files, log, 50);
  t.teardown(() => {
    stop();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const until = async (isThere: () => boolean | Promise<boolean>) => {
    for (let tries = 0; tries < 6_000 && !(await isThere()); tries += 1) await sleep(50);
  };
  t.equal(await servedName(port), 'first');
  makeCertificate(folder, 'second');
  await until(async () => (await servedName(port)) === 'second');
  t.equal(await servedName(port), 'second');
  writeFileSync(files.certFile, 'no certificate');
  await until(() => lines.some((line) => line.includes('cannot be used')));
  t.ok(lines.some((line) => line.includes('the last good one is kept')));
  t.equal(await servedName(port), 'second');
});
