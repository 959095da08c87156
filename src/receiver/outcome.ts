// What becomes of a message, in words: the labels of a metric, and all that the log says about a stranger.

/** SMN is told that the message arrived. */
export const ARRIVED = ['nudged', 'old', 'replayed', 'confirmed', 'unsubscribed', 'notAlarm'] as const;

/** The sender is told nothing; SMN tries again for some minutes. */
export const REFUSED = [
  // Seen without asking anybody.
  'overload',
  'method',
  'tooLarge',
  'slow',
  'malformed',
  'topicName',
  'certificateLink',
  'late',
  'future',
  // Seen with the certificate.
  'certificateFetch',
  'certificateTrust',
  'signature',
  // Seen in the cluster, for a message that SMN has signed.
  'unknownRds',
  'foreignTopic',
  'noPush',
  'confirmLink',
  'confirmFailed',
  // Not the sender's fault.
  'unavailable',
] as const;

export type Refusal = (typeof REFUSED)[number];
export type Outcome = (typeof ARRIVED)[number] | Refusal;

export class Refused extends Error {
  readonly reason: Refusal;

  constructor(reason: Refusal, cause?: unknown) {
    super(reason, { cause });
    this.name = 'Refused';
    this.reason = reason;
  }
}

export const hasArrived = (outcome: Outcome): boolean => ARRIVED.some((word) => word === outcome);
