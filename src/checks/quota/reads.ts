import { z } from 'zod';
import type { History } from '../../history/history.ts';
import type { Probe } from '../../vocabulary/probes.ts';
import { fits, type Suspect, shown } from '../causes/cause.ts';
import { expiryMs, latestSql, setClock } from '../core/moved-clock.ts';
import { gotOf, is2xx, isProbe, type ProbeRow, unanswered } from '../core/probes.ts';
import { evidenceIfAny } from '../core/verdict.ts';
import { reason } from '../reasons/reason.ts';
import type { QuotaFinding, QuotaSpending } from './spending.ts';

interface TriedRead {
  readonly name: Probe;
  /** What a report calls it. */
  readonly endpoint: string;
}

const always: readonly TriedRead[] = [
  { name: 'after-quota:read-session', endpoint: 'read-session' },
  { name: 'after-quota:list-shades', endpoint: 'list-shades' },
  { name: 'after-quota:analytics', endpoint: 'analytics' },
];

/** An import, and a batch of events in a session from before: runs of older versions tried them in a study, or not at all. */
const beside: readonly TriedRead[] = [
  { name: 'after-quota:import-shades', endpoint: 'import-shades' },
  { name: 'after-quota:interact', endpoint: 'interact' },
];

/**
 * Once the quota is spent, sessions, shades and analytics can still be read, shades imported, and events sent. `isStudied`: the
 * run had to try an import.
 */
export function checkReads(
  spending: QuotaSpending,
  probes: readonly ProbeRow[],
  isStudied: boolean,
): QuotaFinding {
  const tried = [
    ...always,
    ...beside.filter(
      ({ name }) =>
        (isStudied && name === 'after-quota:import-shades') || probes.some(({ probe }) => probe === name),
    ),
  ];
  const answered = probes.filter(
    (row) => tried.some(({ name }) => name === row.probe) && unanswered(row) === undefined,
  );
  const right = answered.filter(isRight);
  const wrong = answered.filter((row) => !isRight(row));
  // Each has to be there, and to get the right answer every time.
  const shown = tried.map((each) => {
    const is = ({ probe }: ProbeRow): boolean => probe === each.name;
    return { ...each, row: wrong.find(is) ?? right.find(is) ?? probes.find(is) };
  });
  const silent = shown.filter(({ row }) => row === undefined || unanswered(row) !== undefined);
  const unspent = spending.rejected.length === 0 && wrong.length === 0 && silent.length === 0;
  return {
    verdict: wrong.length > 0 ? 'fail' : silent.length > 0 || unspent ? 'inconclusive' : 'pass',
    expected: '2xx',
    observed: Object.fromEntries(
      shown.map(({ name, row }) => [
        name,
        row === undefined ? 'not asked' : (unanswered(row) ?? row.status ?? 'nothing'),
      ]),
    ),
    reasons: [
      wrong.length > 0
        ? reason('quota-reads-rejected', {
            reads: wrong.map((row) => ({ endpoint: row.endpoint, got: gotOf(row) })),
          })
        : silent.length > 0
          ? reason('quota-reads-untried', {
              reads: silent.map(({ endpoint, row }) => ({ endpoint, got: gotOf(row) })),
            })
          : unspent
            ? reason('quota-reads-unspent')
            : reason('quota-reads-succeeded', {
                reads: always.length,
                imports: right.filter((row) => row.endpoint === 'import-shades' && is2xx(row)).length,
                events: tried.some(({ name }) => name === 'after-quota:interact'),
              }),
    ],
    evidence: [
      ...evidenceIfAny('answered otherwise', seqsOf(wrong)),
      ...evidenceIfAny('answered as promised', seqsOf(right)),
    ],
    causes: causesOf(wrong),
  };
}

/** The batch is empty, and the catalog has the SKUs: they may be rejected for that, but not for the quota. */
const isRight = (row: ProbeRow): boolean =>
  is2xx(row) ||
  (row.endpoint === 'interact' ? row.status !== 402 : row.endpoint === 'import-shades' && row.status === 409);

const seqsOf = (rows: readonly ProbeRow[]): number[] => rows.map(({ seq }) => seq);

function causesOf(wrong: readonly ProbeRow[]): Suspect[] {
  const byStatus = Map.groupBy(wrong, ({ status }) => status);
  return [...byStatus].flatMap(([status, rows]) => {
    if (status === null) return [];
    const endpoints = [...new Set(rows.map(({ endpoint }) => endpoint))];
    const seqs = seqsOf(rows);
    // A quota does not make a session disappear.
    return (status === 404 || status === 410) && endpoints.every((endpoint) => endpoint === 'read-session')
      ? [fits('session-disappears', { reads: rows.length, status }, seqs)]
      : [shown('quota-blocks-reads', { endpoints, status }, seqs)];
  });
}

/** Reads after the quota was spent of sessions that may have expired, which the interface leaves open: these say nothing. */
export async function readsAfterExpiry(history: History): Promise<ReadonlySet<number>> {
  const rows = await history.rows(
    z.object({ seq: z.number() }),
    `SELECT r.seq FROM (SELECT * FROM requests WHERE ${isProbe('after-quota:read-session')}) r
     JOIN requests made ON made.session_id = r.session_id AND made.endpoint = 'create-session'
     WHERE r.status IN (401, 403, 404, 410)
       AND ${expiryMs('made.expires_at')}
         <= ${latestSql(await setClock(history), 'r.answered_ns')} + ${history.profile.clock_skew_bound}`,
  );
  return new Set(rows.map(({ seq }) => seq));
}
