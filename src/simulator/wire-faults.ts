// What each fault of the wire does to a call: lose it, refuse it, delay it or mangle its answer.
import type { Service } from '../otc/send.ts';
import type { FaultEntry, WireFaultKind } from './faults.ts';
import { isObject, parseJson } from './fields.ts';
import type { Answer } from './protocol.ts';
import { Refusal, refuse } from './refusal.ts';

export type Outcome =
  | { kind: 'answer'; answer: Answer; delayMs: number }
  | { kind: 'lost'; code: 'TIMEOUT' | 'CONNECTION' };

type Attempt = {
  service: Service;
  perform(): Answer;
  turnDown(refusal: Refusal): Answer;
  performLater(afterMs: number): void;
};

const DEFAULT_DELAY_MS = 2_000;
const DEFAULT_LATE_MS = 60_000;

const answered = (answer: Answer, delayMs = 0): Outcome => ({ kind: 'answer', answer, delayMs });

export function undergo(fault: FaultEntry | undefined, attempt: Attempt): Outcome {
  if (!fault) return answered(attempt.perform());
  switch (fault.kind) {
    case 'timeout-before':
      return { kind: 'lost', code: 'TIMEOUT' };
    case 'timeout-after':
      attempt.perform();
      return { kind: 'lost', code: 'TIMEOUT' };
    case 'connection':
      return { kind: 'lost', code: 'CONNECTION' };
    case 'late':
      attempt.performLater(fault.lateMs ?? DEFAULT_LATE_MS);
      return { kind: 'lost', code: 'CONNECTION' };
    case '500-after':
      attempt.perform();
      return answered(attempt.turnDown(refusalOf('500-before', attempt.service, fault)));
    case 'slow':
      return answered(attempt.perform(), fault.delayMs ?? DEFAULT_DELAY_MS);
    case 'truncated':
      return answered(truncate(attempt.perform()));
    case 'empty':
      return answered({ status: 200, headers: attempt.perform().headers, body: '' });
    case 'missing-page':
      return answered(withoutRows(attempt.perform(), { keepsTotal: true }));
    case 'empty-list':
      return answered(withoutRows(attempt.perform(), { keepsTotal: false }));
    default:
      return answered(attempt.turnDown(refusalOf(fault.kind as WireFaultKind, attempt.service, fault)));
  }
}

const truncate = ({ status, headers, body }: Answer): Answer => ({
  status,
  headers,
  body: body.slice(0, Math.floor(body.length / 2)),
});

function withoutRows(answer: Answer, { keepsTotal }: { keepsTotal: boolean }): Answer {
  const body = parseJson(answer.body);
  if (answer.status !== 200 || !isObject(body)) return answer;
  for (const [key, value] of Object.entries(body)) {
    if (Array.isArray(value)) body[key] = [];
    if (!keepsTotal && key.startsWith('total')) body[key] = 0;
  }
  return { status: answer.status, headers: answer.headers, body: JSON.stringify(body) };
}

const busyCodes: Partial<Record<Service, string>> = { rds: 'DBS.200047', vpc: 'VPC.0014', smn: 'SMN.0009' };
const goneCodes: Partial<Record<Service, string>> = {
  rds: 'DBS.200002',
  vpc: 'VPC.0003',
  ces: 'ces.0016',
  smn: 'SMN.0006',
};
const forbiddenCodes: Partial<Record<Service, string>> = {
  rds: 'DBS.200044',
  vpc: 'VPC.0002',
  ces: 'ces.0017',
};
const brokenCodes: Partial<Record<Service, string>> = { rds: 'DBS.200005', vpc: 'VPC.0011', ces: 'ces.0007' };

function refusalOf(kind: WireFaultKind, service: Service, fault: FaultEntry): Refusal {
  const isIam = service === 'iam';
  switch (kind) {
    case '401':
      return refuse(
        401,
        isIam ? 'IAM.0067' : 'APIGW.0301',
        'Incorrect IAM authentication information: fault',
      );
    case '403':
      return refuse(403, forbiddenCodes[service] ?? 'IAM.0002', 'You do not have the required permissions.');
    case '404':
      return refuse(404, goneCodes[service] ?? 'IAM.0004', 'The resource does not exist.');
    case '409':
      return refuse(409, busyCodes[service] ?? 'IAM.0009', 'Another operation is running.');
    case '429':
      return new Refusal(
        429,
        isIam ? 'IAM.0012' : 'APIGW.0308',
        'The throttling threshold has been reached.',
        {
          'retry-after': String(fault.retryAfterSeconds ?? 2),
        },
      );
    case '429-no-header':
      return refuse(429, isIam ? 'IAM.0012' : 'APIGW.0308', 'The throttling threshold has been reached.');
    case '503':
      return refuse(503, 'APIGW.0613', 'The API gateway is temporarily unavailable.');
    default:
      return refuse(500, brokenCodes[service] ?? 'IAM.0006', 'Internal server error.');
  }
}
