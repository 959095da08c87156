import t from 'tap';
import { allowedLinks } from '../../src/receiver/links.ts';

const FILE = 'SMN_eu-de_0123456789abcdef0123456789abcdef.pem';
const URN = 'urn:smn:eu-de:0d3a8f6e1c5b4a7290ef8d6c4b2a1357:rds-pilot-4bc725ab-a311-4c18-92e7-ba4969369b55';
const confirm = (host: string, folder = '') =>
  `https://${host}${folder}/smn/subscription/confirm?token=t&topic_urn=${URN}&region=eu-de&region_id=eu-de`;

t.test('links of the host in the catalog and of listed ones are open', async (t) => {
  const links = allowedLinks('https://smn.eu-de.otc.t-systems.com/v2/p', ['console.otc.t-systems.com']);
  for (const host of ['smn.eu-de.otc.t-systems.com', 'console.otc.t-systems.com']) {
    t.ok(links.isCertificate(`https://${host}/smn/${FILE}`, 'eu-de'), host);
    t.ok(links.isConfirmation(confirm(host), URN), host);
    t.notOk(links.isConfirmation(confirm(host, '/smn'), URN), 'no prefix that the catalog does not have');
  }
  t.ok(
    links.isConfirmation(confirm('console.otc.t-systems.com').replaceAll(':smn', '%3Asmn'), URN),
    'encoded',
  );
  t.notOk(links.isCertificate(`https://smn.eu-nl.otc.t-systems.com/smn/${FILE}`, 'eu-de'));
});

t.test('where services share a host, the prefix of SMN is that of the catalog', async (t) => {
  const links = allowedLinks('https://localhost:9443/smn/v2/p', []);
  t.ok(links.isCertificate(`https://localhost:9443/smn/smn/${FILE}`, 'eu-de'));
  t.ok(links.isConfirmation(confirm('localhost:9443', '/smn'), URN));
  t.notOk(links.isCertificate(`https://localhost:9443/rds/smn/${FILE}`, 'eu-de'));
});

t.test('a catalog without https opens nothing', async (t) => {
  const links = allowedLinks('http://127.0.0.1:9090/smn/v2/p', []);
  for (const scheme of ['http', 'https'])
    t.notOk(links.isCertificate(`${scheme}://127.0.0.1:9090/smn/smn/${FILE}`, 'eu-de'), scheme);
});
