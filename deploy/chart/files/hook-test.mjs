// `helm test`: asks the hook as Metacontroller does, and says what to repair. Only what Node itself has.
import { readFileSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';

const { HOOK_URL, CA_FILE, TOKEN_FILE, TLS_SECRET, TOKEN_SECRET } = process.env;
const newCertificate = `Repair the Secret ${TLS_SECRET} (tls.mode generated: delete it and run helm upgrade), then restart rds-pilot and Metacontroller`;
const REMEDIES = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `ca.crt did not sign tls.crt. ${newCertificate}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `ca.crt did not sign tls.crt. ${newCertificate}`,
  SELF_SIGNED_CERT_IN_CHAIN: `ca.crt did not sign tls.crt. ${newCertificate}`,
  DEPTH_ZERO_SELF_SIGNED_CERT: `ca.crt did not sign tls.crt. ${newCertificate}`,
  CERT_SIGNATURE_FAILURE: `ca.crt did not sign tls.crt. ${newCertificate}`,
  CERT_HAS_EXPIRED: `The certificate is over. ${newCertificate}`,
  ERR_TLS_CERT_ALTNAME_INVALID: `The certificate is for another name. ${newCertificate}`,
  ECONNREFUSED: 'No replica is ready: kubectl describe pods -l app.kubernetes.io/name=rds-pilot',
  ENOTFOUND: 'There is no Service rds-pilot, or DNS does not work',
  ETIMEDOUT: 'Nothing answers: is a NetworkPolicy in between?',
};

function ask(method, path, headers = {}) {
  const url = new URL(path, HOOK_URL);
  const { request } = url.protocol === 'https:' ? https : http;
  const ca = CA_FILE ? { ca: readFileSync(CA_FILE) } : {};
  return new Promise((resolve, reject) => {
    const call = request(url, { method, headers, timeout: 10_000, ...ca }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text) => (body += text));
      response.on('end', () => resolve({ status: response.statusCode, body }));
    });
    call.on('timeout', () => call.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })));
    call.on('error', reject);
    call.end(method === 'POST' ? '{}' : undefined);
  });
}

async function test() {
  const ready = await ask('GET', '/readyz');
  if (ready.status !== 200) return `not ready: ${ready.body}`;
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${readFileSync(TOKEN_FILE, 'utf8').trim()}`,
  };
  const { status } = await ask('POST', '/sync', headers);
  if (status === 401) {
    return `the hook does not accept the token: in the Secret ${TOKEN_SECRET}, \`accepted\` must contain \`token\`; then restart rds-pilot`;
  }
  // An empty call is refused for its form: the token was good.
  return status === 400 ? undefined : `the hook answers ${status} to an empty call`;
}

const problem = await test().catch(
  ({ code, message }) => `${HOOK_URL}: ${code ?? ''} ${message}. ${REMEDIES[code] ?? ''}`,
);
console.log(problem ?? `ok: ${HOOK_URL} is ready, its certificate and its token are good`);
process.exitCode = problem ? 1 : 0;
