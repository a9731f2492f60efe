import { z } from 'zod';
import { all, counted, number, verb } from '../../amounts.ts';
import type { History } from '../../history/history.ts';
import { caused, fits } from '../diagnosis/cause.ts';
import { evidenceOf, type Found, find, nothing } from '../found.ts';
import type { CheckResult, Shown } from '../verdict.ts';
import { blame } from './cut-off.ts';
import { areNumbersTheirOwn } from './distinct.ts';

const outcomeRow = z.object({
  stage: z.string(),
  sent: z.number(),
  status: z.number().nullable(),
  lost: z.string().nullable(),
  not_sent: z.string().nullable(),
  total: z.number(),
});

/** The books of one stage of a run, or of all of it. */
export interface Books {
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
export async function readBooks(history: History): Promise<Readonly<Record<string, Books>>> {
  const outcomes = await history.rows(
    outcomeRow,
    `SELECT stage, status, lost, not_sent, count(*) AS total, count(sent_ns) AS sent FROM requests
     GROUP BY ALL ORDER BY stage, status, lost, not_sent`,
  );
  const books: Record<string, Books> = { run: emptyBooks() };
  for (const row of outcomes) {
    for (const name of [row.stage, 'run']) {
      const entry = books[name] ?? emptyBooks();
      books[name] = entry;
      entry.records += row.total;
      entry.sent += row.sent;
      if (row.not_sent !== null) add(entry.notSent, row.not_sent, row.total);
      if (row.status !== null) add(entry.answered, String(row.status), row.total);
      if (row.lost !== null) add(entry.lost, row.lost, row.total);
    }
  }
  return books;
}

/** Records = sent + not sent, and sent = answers + losses, in each stage. */
export async function checkSent(history: History): Promise<CheckResult> {
  const books = await readBooks(history);
  const wrong = Object.entries(books).flatMap(([stage, entry]) => {
    const notSent = sum(entry.notSent);
    const ends = sum(entry.answered) + sum(entry.lost);
    return [
      ...(entry.records === entry.sent + notSent
        ? []
        : [
            `${stage}: ${counted(entry.records, 'record')}, but ${number(entry.sent)} sent and ${number(notSent)} not sent`,
          ]),
      ...(entry.sent === ends
        ? []
        : [`${stage}: ${number(entry.sent)} sent, but ${number(ends)} answered or lost`]),
    ];
  });
  const empty = books.run === undefined || books.run.records === 0;
  const again = await find(history, 'first_sent_ns IS NOT NULL');
  return {
    id: 'books.sent',
    title: 'Every request is sent or not sent, and every sent request is answered or lost',
    verdict: wrong.length > 0 ? 'fail' : empty ? 'inconclusive' : 'pass',
    expected: 'records = sent + not sent; sent = answers by status + losses by reason',
    observed: {
      ...Object.fromEntries(Object.entries(books).map(([stage, entry]) => [stage, shownBooks(entry)])),
      ...(again.total === 0 ? {} : { 'sent again': again.total }),
    },
    explanation:
      wrong.length > 0
        ? `The books do not balance, ${blame}: ${wrong.join('; ')}.`
        : empty
          ? 'There is no record of any request.'
          : `The books balance.${againText(again.total)}`,
    evidence: evidenceOf('sent again', again),
    ...(wrong.length > 0 && caused([fits('records-incomplete', { what: ['requests and their ends'] })])),
  };
}

function againText(total: number): string {
  return total === 0
    ? ''
    : ` ${counted(total, 'GET request')} ${total === 1 ? 'was' : 'were'} sent a second time, since the target had closed the idle connection: ${total === 1 ? 'it counts' : 'each counts'} once, from the instant at which it was first due.`;
}

/** Each record has one outcome, instants in their order, and a number of its own. */
export async function checkRecords(history: History): Promise<CheckResult> {
  const outcomes = await find(
    history,
    `(status IS NOT NULL)::INT + (not_sent IS NOT NULL)::INT + (lost IS NOT NULL)::INT <> 1`,
  );
  const instants = await find(
    history,
    `intended_ns IS NULL OR ready_ns IS NULL OR intended_ns > ready_ns OR ready_ns > sent_ns OR sent_ns > answered_ns
     OR ready_ns > first_sent_ns OR first_sent_ns > coalesce(sent_ns, -1)
     OR (sent_ns IS NULL) <> (answered_ns IS NULL) OR (sent_ns IS NULL) <> (not_sent IS NOT NULL)`,
  );
  const numbers = (await areNumbersTheirOwn(history))
    ? nothing
    : await find(
        history,
        'seq IS NULL OR seq IN (SELECT seq FROM requests GROUP BY seq HAVING count(*) > 1)',
      );
  const wrong: [string, Found][] = [
    ['without exactly one outcome', outcomes],
    ['with instants out of order', instants],
    ['with a number that is not their own', numbers],
  ];
  const found = wrong.filter(([, { total }]) => total > 0);
  const { total } = await find(history, 'true');
  return {
    id: 'books.records',
    title: 'Each record has one outcome, times in order, and a unique number',
    verdict: found.length > 0 ? 'fail' : total === 0 ? 'inconclusive' : 'pass',
    expected: 'one of status, not_sent and lost; intended ≤ ready ≤ sent ≤ answered; seq unique',
    observed: { records: total, ...Object.fromEntries(wrong.map(([what, each]) => [what, each.total])) },
    explanation:
      found.length > 0
        ? `Records contradict themselves, ${blame}: ${found.map(([what, each]) => `${number(each.total)} ${what}`).join('; ')}.`
        : total === 0
          ? 'There is no record of any request.'
          : `${all(total, 'record')} ${verb(total, 'is', 'are')} sound.`,
    evidence: found.flatMap(([what, each]) => evidenceOf(`records ${what}`, each)),
    ...(found.length > 0 &&
      caused([
        fits(
          'records-incomplete',
          { what: found.map(([what]) => `records ${what}`) },
          found.flatMap(([, { seqs }]) => seqs),
        ),
      ])),
  };
}

function emptyBooks(): Books {
  return { records: 0, notSent: {}, sent: 0, answered: {}, lost: {} };
}

function add(counts: Record<string, number>, name: string, count: number): void {
  counts[name] = (counts[name] ?? 0) + count;
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, each) => total + each, 0);
}

function shownBooks(books: Books): Shown {
  return {
    records: books.records,
    'not sent': books.notSent,
    sent: books.sent,
    answered: books.answered,
    'without an answer': books.lost,
  };
}
