import { rootCertificates } from 'node:tls';
import t from 'tap';
import { anchorsOf, certificatesIn, isTrusted } from '../../src/receiver/chain.ts';
import { certificate, foreign, middle, NOW, scribe, trusted } from './authorities.ts';

const DAY = 86_400_000;
const judge = (pem: string, roots: string[], nowMs = NOW) =>
  isTrusted(certificatesIn(pem), anchorsOf(roots), nowMs);

t.test('a chain is trusted when it leads to an anchor', async (t) => {
  const own = certificate();
  const below = certificate({ by: middle });
  const table = [
    { given: own, roots: [trusted.pem], want: true, because: 'the authority itself is trusted' },
    { given: own, roots: [foreign.pem], want: false, because: 'only another is' },
    { given: own, roots: [], want: false, because: 'nobody is' },
    { given: below + middle.pem, roots: [trusted.pem], want: true, because: 'one between' },
    {
      given: below,
      roots: [`${foreign.pem}${middle.pem}`],
      want: true,
      because: 'the one between is trusted',
    },
    { given: middle.pem + below, roots: [trusted.pem], want: true, because: 'the first one counts' },
    { given: own, roots: [own], want: true, because: 'the certificate itself is listed' },
    { given: certificate({ by: foreign }), roots: [own], want: false, because: 'another of that name is' },
    { given: own + middle.pem.repeat(5), roots: [trusted.pem], want: false, because: 'too many' },
    { given: '', roots: [trusted.pem], want: false, because: 'none' },
  ];
  for (const { given, roots, want, because } of table) t.equal(judge(given, roots), want, because);
});

t.test('the certificate that only lacks the mark of an authority is read as such', async (t) => {
  const [made] = certificatesIn(scribe.pem);
  t.ok(judge(scribe.pem, [trusted.pem]), 'it is properly signed itself');
  t.equal(made?.ca, false);
});

t.test('all of a chain must be valid at the time', async (t) => {
  const short = certificate({ from: NOW, until: NOW + DAY });
  for (const [at, want] of [
    [NOW - 1_000, false],
    [NOW, true],
    [NOW + DAY, true],
    [NOW + DAY + 1_000, false],
    [NOW + 800 * DAY, false],
  ] as const)
    t.equal(judge(short, [trusted.pem], at), want);
  const long = certificate({ until: NOW + 900 * DAY });
  t.equal(judge(long, [trusted.pem], NOW + 800 * DAY), false, 'the authority has expired');
});

t.test('the public authorities of the runtime can be read', async (t) => {
  const anchors = anchorsOf([...rootCertificates]);
  t.ok(anchors.size > 50);
  t.throws(() => anchorsOf(['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----']));
});
