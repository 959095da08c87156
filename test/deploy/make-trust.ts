// A CA and a certificate of its own for one host name, as files.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Trust = { ca: string; cert: string; key: string };

export function makeTrust(dir: string, host: string): Trust {
  mkdirSync(dir, { recursive: true });
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: dir, stdio: 'ignore' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.crt', '-subj', '/CN=ca', '-days', '2');
  openssl('req', ...key, '-keyout', 'tls.key', '-out', 'tls.csr', '-subj', '/CN=hook');
  writeFileSync(join(dir, 'names'), `subjectAltName=DNS:${host}\n`);
  const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names', '-days', '2'];
  openssl('x509', '-req', '-in', 'tls.csr', '-out', 'tls.crt', ...signed);
  return { ca: join(dir, 'ca.crt'), cert: join(dir, 'tls.crt'), key: join(dir, 'tls.key') };
}
