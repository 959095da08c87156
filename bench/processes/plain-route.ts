// What the hook is measured against: Fastify alone. `/parsed` reads the body with the default parser and serialises
// the given answer; `/unparsed` does neither. `node plain-route.ts ANSWER-FILE PORT`.

import { readFileSync } from 'node:fs';
import Fastify from 'fastify';

const [answerFile = '', port = '0'] = process.argv.slice(2);
const text = readFileSync(answerFile, 'utf8');
const answer: unknown = JSON.parse(text);

const app = Fastify({ bodyLimit: 16 * 1024 * 1024 });
app.get('/healthz', async () => ({ status: 'ok' }));
app.post('/parsed', async (request) => {
  if (typeof request.body !== 'object') throw new Error('the body was not parsed');
  return answer;
});
await app.register(async (raw) => {
  raw.removeAllContentTypeParsers();
  raw.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  raw.post('/unparsed', async (_request, reply) => reply.type('application/json').send(text));
});
await app.listen({ host: '127.0.0.1', port: Number(port) });
