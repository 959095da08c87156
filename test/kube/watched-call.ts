// A KubeCall that can be made to misbehave once, and that remembers what it was asked.

import { type KubeCall, type KubeRequest, type KubeResponse, KubeUnreachable } from '../../src/kube/api.ts';

/** `lostBefore`: the request never arrives. `lostAfter`: it takes effect and the answer is lost. */
export type Fault = 'lostBefore' | 'lostAfter' | KubeResponse | ((next: KubeCall) => Promise<KubeResponse>);

export type WatchedCall = {
  call: KubeCall;
  asked: KubeRequest[];
  /** The methods in order, as in `GET POST`. */
  methods(): string;
  /** The next request with this method meets the fault. */
  fail(method: KubeRequest['method'], fault: Fault): void;
};

export function watchedCall(inner: KubeCall): WatchedCall {
  const asked: KubeRequest[] = [];
  const faults: { method: string; fault: Fault }[] = [];

  const call: KubeCall = async (request) => {
    asked.push(structuredClone(request));
    const index = faults.findIndex(({ method }) => method === request.method);
    const [hit] = index < 0 ? [] : faults.splice(index, 1);
    if (!hit) return inner(request);
    if (hit.fault === 'lostBefore') throw new KubeUnreachable('connection refused');
    if (hit.fault === 'lostAfter') {
      await inner(request);
      throw new KubeUnreachable('socket hang up');
    }
    return typeof hit.fault === 'function' ? hit.fault(inner) : hit.fault;
  };
  return {
    call,
    asked,
    methods: () => asked.map(({ method }) => method).join(' '),
    fail: (method, fault) => faults.push({ method, fault }),
  };
}
