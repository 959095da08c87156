// The gateway's throttle: so many calls a second, with as many at once. Beyond that 429, and when to come back.
import type { Service } from '../otc/send.ts';
import { Refusal } from './refusal.ts';

export type RateLimit = {
  /** The refusal for a call that is one too many; counts the call otherwise. */
  take(service: Service, now: number): Refusal | undefined;
};

/** `perSecond` 0 means no limit. */
export function createRateLimit(perSecond: number): RateLimit {
  const burst = Math.max(1, perSecond);
  let left = burst;
  let countedAt: number | undefined;

  return {
    take(service, now) {
      if (perSecond === 0) return undefined;
      left = Math.min(burst, left + (Math.max(0, now - (countedAt ?? now)) * perSecond) / 1000);
      countedAt = now;
      if (left >= 1) {
        left -= 1;
        return undefined;
      }
      const seconds = Math.max(1, Math.ceil((1 - left) / perSecond));
      const code = service === 'iam' ? 'IAM.0012' : 'APIGW.0308';
      return new Refusal(429, code, 'The throttling threshold has been reached.', {
        'retry-after': String(seconds),
      });
    },
  };
}
