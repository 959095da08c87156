// A thrown cloud error as data that a decision can read.

import { CloudError, RetryableError, TerminalError, UserError } from '../errors.ts';
import type { Failure } from './decide/observed.ts';

export function toFailure(error: unknown): Failure {
  if (!(error instanceof CloudError)) throw error;
  return {
    class: error instanceof UserError ? 'user' : error instanceof TerminalError ? 'terminal' : 'retryable',
    code: error.code,
    message: error.message,
    requestId: error.requestId,
    field: error instanceof UserError ? error.field : undefined,
    retryAfterSeconds: error instanceof RetryableError ? error.retryAfterSeconds : undefined,
  };
}
