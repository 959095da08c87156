// A call that the cloud turns down, and the body each service wraps that in.
import type { Service } from '../otc/send.ts';

export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Record<string, string>;

  constructor(status: number, code: string, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

export const refuse = (status: number, code: string, message: string): Refusal =>
  new Refusal(status, code, message);

/** A field of the body or query that is missing or of the wrong type. */
export class BadField extends Error {
  readonly field: string;

  constructor(field: string, problem: string) {
    super(`Invalid parameter ${field}: ${problem}.`);
    this.field = field;
  }
}

const badFieldCodes: Record<Service, string> = {
  iam: 'IAM.0011',
  rds: 'DBS.280001',
  vpc: 'VPC.0002',
  ces: 'ces.0014',
  smn: 'SMN.0001',
};

export function refusalFrom(service: Service, error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof BadField) return refuse(400, badFieldCodes[service], error.message);
  throw error;
}

const titles: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

export function errorBody(service: Service, path: string, refusal: Refusal, requestId: string): unknown {
  const { status, code, message } = refusal;
  if (code.startsWith('APIGW.')) return { error_code: code, error_msg: message, request_id: requestId };
  switch (service) {
    case 'iam':
      if (path.startsWith('/v3.0/')) return { error_code: code, error_msg: message };
      return { error: { code: status, message, title: titles[status] ?? 'Error' } };
    case 'rds':
      return { error_code: code, error_msg: message };
    case 'vpc':
      if (path.startsWith('/v2.0/')) return { NeutronError: { type: code, message, detail: '' } };
      return { code, message };
    case 'ces':
      return { http_code: String(status), message: { code, details: message } };
    case 'smn':
      return { request_id: requestId, code, message };
  }
}
