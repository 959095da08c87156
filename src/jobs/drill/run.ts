// A whole run: files, login, one question after the other, report, exit code. What is read is looked at and forgotten:
// only whether a check passed, how many rows came and what the server says of an error gets out.

import { setTimeout as sleep } from 'node:timers/promises';
import { Compile } from 'typebox/compile';
import {
  DRILL_NOT_PASSED,
  DRILL_WISH_FILE,
  type DrillReport,
  type DrillWish,
  DrillWishSchema,
} from '../../rds/drill-wish.ts';
import { readFileIn, readLogin } from '../sql/inputs.ts';
import { createWork, errorText, Fatal } from '../sql/work.ts';
import type { Ask } from './limits.ts';
import { askMysql } from './mysql.ts';
import { askPostgres } from './postgres.ts';
import { whyNot } from './verdict.ts';

export type DrillOptions = {
  folder: string;
  deadlineMs: number;
  now(): number;
  print(line: Record<string, unknown>): void;
};

const MAX_WHY = 200;
const check = Compile(DrillWishSchema);

function wishIn(folder: string): DrillWish {
  const wish: unknown = JSON.parse(readFileIn(folder, DRILL_WISH_FILE));
  if (!check.Check(wish)) throw new Fatal(`${DRILL_WISH_FILE} is not a wish`);
  return wish;
}

export async function runDrill(options: DrillOptions): Promise<{ report: DrillReport; exitCode: number }> {
  const { folder, deadlineMs, now, print } = options;
  const report: DrillReport = { passed: 0, failed: [] };
  let work = createWork({ deadlineMs, now, print, secrets: [] });
  try {
    const wish = wishIn(folder);
    const login = readLogin(folder);
    work = createWork({ deadlineMs, now, print, secrets: [login.password] });
    const open = wish.engine === 'MySQL' ? askMysql : askPostgres;
    const told = (text: string) => work.withoutSecrets(text).slice(0, MAX_WHY).toWellFormed();
    const all = open(login, wish.database, work, async (ask) => {
      // Without a check of their own, people still want to know that a client gets in.
      if (wish.checks.length === 0) await ask('SELECT 1');
      for (const [index, query] of wish.checks.entries()) {
        const why = await answerTo(ask, query).then(told);
        if (why === '') report.passed += 1;
        else report.failed.push({ check: index + 1, why });
        print({ check: index + 1, passed: why === '', ...(why === '' ? {} : { why }) });
      }
    });
    await Promise.race([all, timeOver(deadlineMs)]);
  } catch (error) {
    report.fatal = work
      .withoutSecrets(error instanceof Fatal ? error.message : errorText(error))
      .slice(0, 400);
  }
  print({ ended: report.fatal === undefined ? 'done' : 'stopped', ...report });
  const exitCode = report.fatal !== undefined ? 1 : report.failed.length > 0 ? DRILL_NOT_PASSED : 0;
  return { report, exitCode };
}

/** Empty when the check passed. */
async function answerTo(ask: Ask, query: string): Promise<string> {
  try {
    return whyNot(await ask(query));
  } catch (error) {
    return errorText(error);
  }
}

/** Whatever hangs: a server that takes a query and never answers must not hold the Job. */
async function timeOver(deadlineMs: number): Promise<never> {
  await sleep(deadlineMs, undefined, { ref: false });
  throw new Fatal('the time was over before all was asked');
}
