// Certificates are renewed while the process runs (cert-manager replaces the mounted files): the next handshake gets
// the new one. A pair that does not fit is told and left alone until it does.

import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import type { SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';

export type TlsFiles = { certFile: string; keyFile: string };

type Server = { setSecureContext(options: SecureContextOptions): void };

const LOOK_EVERY_MS = 30_000;

export const readTls = ({ certFile, keyFile }: TlsFiles) => ({
  cert: readFileSync(certFile),
  key: readFileSync(keyFile),
});

/** Returns how to stop looking. Polled, since mounted Secrets change by a renamed link, which watches miss. */
export function reloadTls(server: Server, files: TlsFiles, log: Logger, everyMs = LOOK_EVERY_MS): () => void {
  const reload = () => {
    try {
      server.setSecureContext(readTls(files));
      log.info('the TLS certificate was renewed');
    } catch (err) {
      log.warn({ err }, 'the renewed TLS certificate cannot be used; the last good one is kept');
    }
  };
  const paths = [files.certFile, files.keyFile];
  for (const path of paths) watchFile(path, { interval: everyMs, persistent: false }, reload);
  return () => {
    for (const path of paths) unwatchFile(path, reload);
  };
}
