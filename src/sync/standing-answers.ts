// A fleet at rest sends the same requests again and again. An answer that stands is kept under the digest of its request,
// and given again while all it was made from is still so. It can make us late by no more than a decision may be, and it can
// never act: whatever did something was not kept.

import { hash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { HookAnswer } from './answer.ts';
import type { Stands } from './stands.ts';

export type StandingAnswers = {
  /** The request as text. */
  open(request: string): StandingCall;
  /** Another request of this Rds came: what was said to the one before is of the past. */
  forget(uid: string): void;
};

export type StandingCall = {
  /** undefined: it has to be worked out. */
  answer: { uid: string; text: string } | undefined;
  keep(answer: HookAnswer, text: string, stands: Stands): void;
};

/** Some 3 kB each. */
const MOST = 20_000;

export function createStandingAnswers(clock: Clock): StandingAnswers {
  /** In the order in which they were kept. */
  const kept = new Map<string, { stands: Stands; pieces: readonly Piece[] }>();
  const digests = new Map<string, string>();

  function forget(uid: string): void {
    kept.delete(digests.get(uid) ?? '');
    digests.delete(uid);
  }

  function holds({ fromMs, untilMs, still }: Stands): boolean {
    const now = clock.now();
    return now >= fromMs && now < untilMs && still.every((one) => one());
  }

  return {
    forget,
    open(request) {
      const digest = hash('sha256', request, 'base64');
      const known = kept.get(digest);
      if (known && !holds(known.stands)) forget(known.stands.uid);
      const isKept = known !== undefined && kept.has(digest);
      return {
        answer: isKept ? { uid: known.stands.uid, text: joined(known.pieces, request) } : undefined,
        keep(answer, text, stands) {
          const pieces = withoutSecrets(text, secretsIn(answer), request);
          if (!pieces) return;
          forget(stands.uid);
          kept.set(digest, { stands, pieces });
          digests.set(stands.uid, digest);
          const [oldest] = kept.values();
          if (kept.size > MOST && oldest) forget(oldest.stands.uid);
        },
      };
    },
  };
}

/** A text, or where in the request it stands. */
type Piece = string | { from: number; to: number };

/** Secrets are not kept: the request that gets the answer again brings them. undefined: it does not bring them all. */
function withoutSecrets(
  answer: string,
  secrets: ReadonlySet<string>,
  request: string,
): readonly Piece[] | undefined {
  let pieces: Piece[] = [answer];
  for (const secret of secrets) {
    const from = request.indexOf(secret);
    if (from < 0) return undefined;
    const place = { from, to: from + secret.length };
    pieces = pieces.flatMap((piece) =>
      typeof piece === 'string'
        ? piece.split(secret).flatMap((part, index) => (index === 0 ? [part] : [place, part]))
        : [piece],
    );
  }
  return pieces.map((piece) => (typeof piece === 'string' ? ofItsOwn(piece) : piece));
}

/** As they are written in both texts, quotes included. */
function secretsIn({ children }: HookAnswer): ReadonlySet<string> {
  const secrets = children.filter(({ kind }) => kind === 'Secret');
  return new Set(
    secrets.flatMap(({ data }) => Object.values(data ?? {}).map((value) => JSON.stringify(value))),
  );
}

/** A part of a text keeps the whole of it in memory, and in the whole are the secrets. */
const ofItsOwn = (text: string): string => Buffer.from(text).toString();

function joined(pieces: readonly Piece[], request: string): string {
  let text = '';
  for (const piece of pieces) text += typeof piece === 'string' ? piece : request.slice(piece.from, piece.to);
  return text;
}
