import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { caused, fits } from '../causes/cause.ts';
import { evidenceOf, find, nothing } from '../core/found.ts';
import { type CheckFinding, counted, type Shown } from '../core/verdict.ts';
import { expects } from '../reasons/expected.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import { areNumbersUnique } from './distinct.ts';

const outcomeRow = z.object({
  stage: z.string(),
  sent: z.number(),
  status: z.number().nullable(),
  lost: z.string().nullable(),
  not_sent: z.string().nullable(),
  total: z.number(),
});

/** What became of the requests of one stage of a run, or of all of it. */
interface SentAccount {
  records: number;
  /** Records by the reason why nothing was sent. */
  readonly notSent: Record<string, number>;
  sent: number;
  /** Answers by status. */
  readonly answered: Record<string, number>;
  /** Requests without an answer, by the reason. */
  readonly lost: Record<string, number>;
}

/** What became of every request, by stage (`setup`, `load`, `settle`) and in all (`run`). */
async function readAccounts(history: History): Promise<Readonly<Record<string, SentAccount>>> {
  const outcomes = await history.rows(
    outcomeRow,
    `SELECT stage, status, lost, not_sent, count(*) AS total, count(sent_ns) AS sent FROM requests
     GROUP BY ALL ORDER BY stage, status, lost, not_sent`,
  );
  const accounts: Record<string, SentAccount> = { run: emptyAccount() };
  for (const row of outcomes) {
    for (const name of [row.stage, 'run']) {
      const entry = accounts[name] ?? emptyAccount();
      accounts[name] = entry;
      entry.records += row.total;
      entry.sent += row.sent;
      if (row.not_sent !== null) add(entry.notSent, row.not_sent, row.total);
      if (row.status !== null) add(entry.answered, String(row.status), row.total);
      if (row.lost !== null) add(entry.lost, row.lost, row.total);
    }
  }
  return accounts;
}

/** Records = sent + not sent, and sent = answers + losses, in each stage. */
export async function checkSent(history: History): Promise<CheckFinding> {
  const accounts = await readAccounts(history);
  const wrong = Object.entries(accounts).flatMap(([stage, entry]): Reason[] => {
    const { records, sent } = entry;
    const notSent = sum(entry.notSent);
    const ended = sum(entry.answered) + sum(entry.lost);
    return [
      ...(records === sent + notSent ? [] : [reason('accounting-sent', { stage, records, sent, notSent })]),
      ...(sent === ended ? [] : [reason('accounting-ended', { stage, sent, ended })]),
    ];
  });
  const records = accounts.run?.records ?? 0;
  const again = await find(history, 'first_sent_ns IS NOT NULL');
  return {
    id: 'books.sent',
    verdict: wrong.length > 0 ? 'fail' : records === 0 ? 'inconclusive' : 'pass',
    expected: expects('books.sent'),
    observed: {
      ...Object.fromEntries(Object.entries(accounts).map(([stage, entry]) => [stage, shownAccount(entry)])),
      ...(again.total === 0 ? {} : { 'sent again': again.total }),
    },
    reasons:
      wrong.length > 0
        ? wrong
        : records === 0
          ? [reason('accounting-no-records')]
          : [
              reason('accounting-balanced', { records }),
              ...(again.total === 0 ? [] : [reason('accounting-sent-again', { requests: again.total })]),
            ],
    evidence: evidenceOf('sent again', again),
    ...(wrong.length > 0 && caused([fits('records-incomplete', { what: ['requests and their ends'] })])),
  };
}

/** Each record has one outcome, times in order, and a unique number. */
export async function checkRecords(history: History): Promise<CheckFinding> {
  const outcomes = await find(
    history,
    `(status IS NOT NULL)::INT + (not_sent IS NOT NULL)::INT + (lost IS NOT NULL)::INT <> 1`,
  );
  const times = await find(
    history,
    `intended_ns IS NULL OR ready_ns IS NULL OR intended_ns > ready_ns OR ready_ns > sent_ns OR sent_ns > answered_ns
     OR ready_ns > first_sent_ns OR first_sent_ns > coalesce(sent_ns, -1)
     OR (sent_ns IS NULL) <> (answered_ns IS NULL) OR (sent_ns IS NULL) <> (not_sent IS NOT NULL)`,
  );
  const numbers = (await areNumbersUnique(history))
    ? nothing
    : await find(
        history,
        'seq IS NULL OR seq IN (SELECT seq FROM requests GROUP BY seq HAVING count(*) > 1)',
      );
  const kinds = [
    { what: 'records without exactly one outcome', code: 'accounting-outcome', ...outcomes },
    { what: 'records with times out of order', code: 'accounting-times', ...times },
    { what: 'records with a number that is not unique', code: 'accounting-number', ...numbers },
  ] as const;
  const found = kinds.filter(({ total }) => total > 0);
  const seqs = found.flatMap((each) => each.seqs);
  const cause = fits('records-incomplete', { what: found.map(({ what }) => what) }, seqs);
  const { total: records } = await find(history, 'true');
  return counted({
    id: 'books.records',
    judged: records,
    observed: { records, ...Object.fromEntries(kinds.map(({ total, what }) => [what, total])) },
    wrong: found.map((each, at) => ({
      ...each,
      reason: reason(each.code, { records: each.total }),
      ...(at === 0 && { cause }),
    })),
    passed: () => reason('accounting-sound', { records }),
    nothing: () => reason('accounting-no-records'),
  });
}

function emptyAccount(): SentAccount {
  return { records: 0, notSent: {}, sent: 0, answered: {}, lost: {} };
}

function add(counts: Record<string, number>, name: string, count: number): void {
  counts[name] = (counts[name] ?? 0) + count;
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, each) => total + each, 0);
}

function shownAccount(account: SentAccount): Shown {
  return {
    records: account.records,
    'not sent': account.notSent,
    sent: account.sent,
    answered: account.answered,
    'without an answer': account.lost,
  };
}
