// The one part of a kubelet's own API that people use: `kubectl logs`. The API server asks the node that the pod
// is bound to, so the pod runner registers a Node that points here.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';

export type NodeLogs = { port: number; stop: () => Promise<void> };

export async function serveNodeLogs(options: {
  tls: { certFile: string; keyFile: string };
  read: (namespace: string, pod: string, container: string) => Promise<string | undefined>;
  /** For who follows: the lines come together, when there will be no more. */
  ended: (namespace: string, pod: string) => Promise<void>;
}): Promise<NodeLogs> {
  const [cert, key] = await Promise.all([readFile(options.tls.certFile), readFile(options.tls.keyFile)]);
  const server = createServer({ cert, key }, (req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'https://node');
    const [, verb, namespace = '', pod = '', container = ''] = pathname.split('/').map(decodeURIComponent);
    const answer = async (): Promise<void> => {
      if (searchParams.get('follow') === 'true') await options.ended(namespace, pod);
      const text = verb === 'containerLogs' ? await options.read(namespace, pod, container) : undefined;
      const tail = Number(searchParams.get('tailLines') ?? 0);
      res.statusCode = text === undefined ? 404 : 200;
      res.end(tail > 0 ? text?.trimEnd().split('\n').slice(-tail).join('\n').concat('\n') : text);
    };
    answer().catch((error: unknown) => {
      res.statusCode = 500;
      res.end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP port was given');
  return {
    port: address.port,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
