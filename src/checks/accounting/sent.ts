import { z } from 'zod';
import type { History } from '../../history/history.ts';
import { fits } from '../causes/cause.ts';
import { evidenceOf, find, nothing } from '../core/found.ts';
import { type CheckFinding, counted, type Shown } from '../core/verdict.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import { areNumbersUnique } from './planned.ts';

const outcomeRow = z.object({
  stage: z.string(),
  sent: z.number(),
  status: z.number().nullable(),
  lost: z.string().nullable(),
  not_sent: z.string().nullable(),
  total: z.number(),
});
type OutcomeRow = z.output<typeof outcomeRow>;

const totalOf = (rows: readonly OutcomeRow[]): number => rows.reduce((sum, { total }) => sum + total, 0);

/** Requests by one of their ends: by status, or by the reason why there is none. */
function byEnd(rows: readonly OutcomeRow[], end: 'status' | 'lost' | 'not_sent'): Record<string, number> {
  const own = rows.filter((row) => row[end] !== null);
  const groups = [...Map.groupBy(own, (row) => String(row[end]))];
  return Object.fromEntries(groups.map(([name, each]) => [name, totalOf(each)]));
}

/** Records = sent + not sent, and sent = answers + losses, in each stage and in all. */
export async function checkSent(history: History): Promise<CheckFinding> {
  const all = await history.rows(
    outcomeRow,
    `SELECT stage, status, lost, not_sent, count(*) AS total, count(sent_ns) AS sent FROM requests
     GROUP BY ALL ORDER BY stage, status, lost, not_sent`,
  );
  const wrong: Reason[] = [];
  const accounts: Record<string, Shown> = {};
  for (const [stage, rows] of [['run', all] as const, ...Map.groupBy(all, (row) => row.stage)]) {
    const [records, sent] = [totalOf(rows), rows.reduce((sum, row) => sum + row.sent, 0)];
    const notSent = totalOf(rows.filter(({ not_sent }) => not_sent !== null));
    const ended =
      totalOf(rows.filter(({ status }) => status !== null)) +
      totalOf(rows.filter(({ lost }) => lost !== null));
    if (records !== sent + notSent) wrong.push(reason('accounting-sent', { stage, records, sent, notSent }));
    if (sent !== ended) wrong.push(reason('accounting-ended', { stage, sent, ended }));
    accounts[stage] = {
      ...{ records, 'not sent': byEnd(rows, 'not_sent'), sent, answered: byEnd(rows, 'status') },
      'without an answer': byEnd(rows, 'lost'),
    };
  }
  const records = totalOf(all);
  const again = await find(history, 'first_sent_ns IS NOT NULL');
  const cause = fits('records-incomplete', { what: ['requests and their ends'] });
  const finding = counted({
    id: 'books.sent',
    judged: records,
    observed: { ...accounts, ...(again.total > 0 && { 'sent again': again.total }) },
    wrong: wrong.map((why, at) => ({
      what: '',
      seqs: [],
      total: 1,
      reason: why,
      ...(at === 0 && { cause }),
    })),
    passed: () => [
      reason('accounting-balanced', { records }),
      ...(again.total === 0 ? [] : [reason('accounting-sent-again', { requests: again.total })]),
    ],
    nothing: () => reason('accounting-no-records'),
  });
  return { ...finding, evidence: evidenceOf('sent again', again) };
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
