// One request on its way through the simulator, and the answer it gets. No sockets here.
import type { OtcResponse, Service } from '../otc/send.ts';
import type { FaultDesk } from './faults.ts';
import type { Identity } from './iam/types.ts';
import type { Settings } from './options.ts';
import type { Random } from './random.ts';
import type { SimulatorRequest, Site } from './request.ts';
import type { World } from './world.ts';

export type Answer = OtcResponse;

/** What anything that happens in the cloud needs, called for or not. */
export type Scene = { world: World; settings: Settings; random: Random; now: number };

export type Call = Scene & {
  faults: FaultDesk;
  site: Site;
  request: SimulatorRequest;
  /** Full path as it was sent, for signatures. */
  sentPath: string;
  query: URLSearchParams;
  params: Record<string, string>;
  /** `http://host:port`, for links and the catalog. */
  origin: string;
  identity: Identity;
};

export type Endpoint = (call: Call) => Answer;

export type Route = {
  service: Service;
  method: string;
  template: string;
  answer: Endpoint;
  /** IAM action that a restricted key must allow; may depend on the body. */
  action?: string | ((call: Call) => string);
  /** Needs no token. */
  isOpen?: boolean;
};

type JsonBody = Record<string, unknown>;

/** The text is made for who reads it; a client in the same process may take what it says. */
class JsonAnswer implements Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly json: JsonBody;

  constructor(status: number, headers: Record<string, string>, json: JsonBody) {
    this.status = status;
    this.headers = headers;
    this.json = json;
  }

  get body(): string {
    return JSON.stringify(this.json);
  }
}

export const json = (status: number, body: JsonBody, headers: Record<string, string> = {}): Answer =>
  new JsonAnswer(status, headers, body);

export const withHeaders = (answer: Answer, headers: Record<string, string>): Answer =>
  answer.json ? new JsonAnswer(answer.status, headers, answer.json) : { ...answer, headers };

/** As a wire brings it: later changes of the world do not show in it. */
export const asText = ({ status, headers, body }: Answer): Answer => ({ status, headers, body });

export const empty = (status: number, headers: Record<string, string> = {}): Answer => ({
  status,
  headers,
  body: '',
});

/** A path parameter; the router has filled all that the template names. */
export const param = (call: Call, name: string): string => call.params[name] ?? '';
