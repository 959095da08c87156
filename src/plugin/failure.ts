// Why a command did not do what it was asked: a sentence, what to do, and the exit code that scripts look at.

export const EXIT = {
  failed: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  unreachable: 5,
  timedOut: 6,
} as const;

export type ExitCode = 0 | (typeof EXIT)[keyof typeof EXIT];

export class Failure extends Error {
  readonly code: ExitCode;
  readonly remedy: string | undefined;

  constructor(code: ExitCode, message: string, remedy?: string) {
    super(message);
    this.name = 'Failure';
    this.code = code;
    this.remedy = remedy;
  }
}

export const usage = (message: string, remedy?: string): Failure => new Failure(EXIT.usage, message, remedy);
