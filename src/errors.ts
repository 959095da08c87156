// Every failure of the cloud is one of these three, so that the loop needs to know nothing about HTTP.

/**
 * What a failed WRITE did. `refused`: the cloud said no, nothing happened. `unknown`: no answer, or a 5xx:
 * it may have happened or may still happen, so the next step is to look, never to repeat.
 */
export type Outcome = 'refused' | 'unknown';

type Details = {
  /** OTC's error code (`DBS.200047`), or ours for transport failures (`TIMEOUT`, `CONNECTION`). */
  code: string;
  outcome: Outcome;
  requestId?: string | undefined;
  cause?: unknown;
};

export abstract class CloudError extends Error {
  readonly code: string;
  readonly outcome: Outcome;
  readonly requestId: string | undefined;

  constructor(message: string, details: Details) {
    super(message, { cause: details.cause });
    this.name = new.target.name;
    this.code = details.code;
    this.outcome = details.outcome;
    this.requestId = details.requestId;
  }
}

/** Busy, throttled, 5xx, time-out: the same call may work later. */
export class RetryableError extends CloudError {
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, details: Details & { retryAfterSeconds?: number | undefined }) {
    super(message, details);
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/** Forbidden, over quota, gone: somebody has to change something outside the spec. */
export class TerminalError extends CloudError {}

/** A value in the spec that the cloud refuses; `field` is its path, e.g. `spec.flavorref`. */
export class UserError extends CloudError {
  readonly field: string;

  constructor(message: string, details: Details & { field: string }) {
    super(message, details);
    this.field = details.field;
  }
}
