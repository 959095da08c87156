// All pages of a log, in order. The span ends before the Job began, so pages hardly move while they are read; one
// that is shorter than it should be was mangled on the way and is asked for again.

import { RetryableError } from '../../errors.ts';
import { type LogPage, logPageLimit } from '../../otc/rds-logs.ts';
import type { Patience } from './patience.ts';

/** A busy database pushes its oldest lines out while we read: a log that shrank is believed after so many looks. */
const LOOKS_AT_SHRUNK = 3;

type Options<Row> = {
  fetchPage: (page: number) => Promise<LogPage<Row>>;
  patience: Patience;
  tell: (line: string) => void;
};

export async function* readPages<Row>({ fetchPage, patience, tell }: Options<Row>): AsyncGenerator<Row[]> {
  let seen = 0;
  let announced: number | undefined;
  for (let page = 1; ; page += 1) {
    let looks = 0;
    const { rows, total } = await patience.insist(async () => {
      const answer = await fetchPage(page);
      const due = (of: number | undefined) => Math.min(logPageLimit, (of ?? 0) - seen);
      looks += 1;
      const isMangled = answer.rows.length < due(answer.total);
      const isShrunk = answer.rows.length < due(announced) && looks < LOOKS_AT_SHRUNK;
      if (isMangled || isShrunk) throw incomplete(page);
      return answer;
    });
    announced ??= total;
    seen += rows.length;
    tell(`page ${page}: ${seen} of ${announced ?? 'an unknown number of'} lines`);
    yield rows;
    if (rows.length < logPageLimit || seen === announced) return;
  }
}

function incomplete(page: number): RetryableError {
  const message = `INCOMPLETE: page ${page} has fewer lines than the cloud announced`;
  return new RetryableError(message, { code: 'INCOMPLETE', outcome: 'refused' });
}
