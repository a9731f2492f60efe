import { z } from 'zod';
import { oncePerHistory } from '../../history/tables.ts';
import type { Probe } from '../../vocabulary/probes.ts';
import type { Got } from '../reasons/contract/answers.ts';
import type { Reason } from '../reasons/reason.ts';
import { isSuccessStatus } from './found.ts';
import { probeColumn } from './probe-names.ts';
import { type Evidence, evidenceIfAny, type Verdict } from './verdict.ts';

const probeRow = z.object({
  seq: z.number(),
  probe: probeColumn,
  endpoint: z.string(),
  status: z.number().nullable(),
  lost: z.string().nullable(),
  not_sent: z.string().nullable(),
  sent_ns: z.number().nullable(),
  answered_ns: z.number().nullable(),
  session_id: z.string().nullable(),
  product_id: z.string().nullable(),
  catalog_id: z.string().nullable(),
  locale: z.string().nullable(),
  items: z.number().nullable(),
  count: z.number().nullable(),
  problem: z.string().nullable(),
  /** The parsed body, as JSON text, where the history kept it. */
  body: z.string().nullable(),
  /** The header by which that is one page of several. */
  paged_by: z.string().nullable(),
  /** The `Link` header that leads to its next page. */
  link: z.string().nullable(),
  /** Of a further page of a list: the request for the first, and its own path. */
  page_of: z.number().nullable(),
  path: z.string().nullable(),
});
/** A request with a single purpose, such as a key that must be rejected, with the body of its answer. */
export type ProbeRow = z.output<typeof probeRow> & {
  /** Of a list of shades: all its pages, this one first. */
  readonly pages?: ListPages;
};

/** SQL: it got no answer to what it asked (429, 5xx or none), and was sent again, which tells more. */
export const wasRepeated = 'seq IN (SELECT repeats FROM requests WHERE repeats IS NOT NULL)';

/** Every probe of a run that was not repeated, in the order in which they became due: a few dozen, however long the run. */
export const readProbes = oncePerHistory(
  (history): Promise<readonly ProbeRow[]> =>
    history.rows(
      probeRow,
      `SELECT r.seq, probe, r.endpoint, status, lost, not_sent, sent_ns, answered_ns, session_id, product_id, catalog_id, locale, items, count,
            problem, CAST(body AS VARCHAR) AS body, paged_by, link, page_of, json_extract_string(query, '$.path') AS path
     FROM requests r LEFT JOIN answers a ON a.seq = r.seq
     WHERE probe IS NOT NULL AND NOT r.${wasRepeated} ORDER BY r.seq`,
    ),
);

/** Why a probe says nothing about the target; undefined when it was answered. */
export function unanswered(row: ProbeRow): string | undefined {
  if (row.not_sent !== null) return `not sent (${row.not_sent})`;
  if (row.lost !== null) return `no answer (${row.lost})`;
  // A 429 says nothing about how the target answers such a request within the limit.
  if (row.status === 429) return 'rate limited (429)';
  return undefined;
}

/** What became of a probe, as a parameter of a reason. */
export function gotOf(row: ProbeRow | undefined): Got {
  if (row === undefined) return { notSent: null };
  if (row.not_sent !== null) return { notSent: row.not_sent };
  return row.lost === null ? { status: row.status } : { lost: row.lost };
}

export function is2xx(row: ProbeRow): boolean {
  return isSuccessStatus(row.status);
}

/** A probe that cannot be judged, and what became of it. */
export interface UnclearProbe {
  readonly name: Probe;
  readonly got: Got;
}

/** How a set of probes came out. */
interface ProbesJudged {
  readonly verdict: Verdict;
  /** Answers that are not the right one. */
  readonly wrongRows: readonly ProbeRow[];
  readonly unclearProbes: readonly UnclearProbe[];
  /** What each got: a status, or why there is none. */
  readonly observed: Readonly<Record<string, string | number>>;
  readonly evidence: readonly Evidence[];
}

/** Judges the probes of the given names: each has to be there, and to get the right answer every time. */
export function judgeProbes(
  probes: readonly ProbeRow[],
  names: readonly Probe[],
  isRight: (row: ProbeRow) => boolean,
): ProbesJudged {
  const wrong: ProbeRow[] = [];
  const right: ProbeRow[] = [];
  const unclear: UnclearProbe[] = [];
  const observed: Record<string, string | number> = {};
  for (const name of names) {
    const rows = probes.filter((row) => row.probe === name);
    const answered = rows.filter((row) => unanswered(row) === undefined);
    const misses = answered.filter((row) => !isRight(row));
    wrong.push(...misses);
    right.push(...answered.filter(isRight));
    const shown = misses[0] ?? answered[0] ?? rows[0];
    const silence = shown === undefined ? 'not asked' : unanswered(shown);
    if (silence !== undefined) unclear.push({ name, got: gotOf(shown) });
    observed[name] = silence ?? shown?.status ?? 'nothing';
  }
  return {
    verdict: wrong.length > 0 ? 'fail' : unclear.length > 0 ? 'inconclusive' : 'pass',
    wrongRows: wrong,
    unclearProbes: unclear,
    observed,
    evidence: [
      ...evidenceIfAny(
        'answered otherwise',
        wrong.map((row) => row.seq),
      ),
      ...evidenceIfAny(
        'answered as promised',
        right.map((row) => row.seq),
      ),
    ],
  };
}

export type PagesEnd =
  /** The last answer says nothing of another page. */
  | { readonly kind: 'whole' }
  /** There is or may be more, and this is why it is not known. */
  | { readonly kind: 'cut'; readonly why: Reason }
  /** The target's own link leads back to an earlier page: the list has no end. */
  | { readonly kind: 'circle' };

/** The pages of one list: one, where the list came whole. */
export interface ListPages {
  /** In the order in which they were requested. */
  readonly rows: readonly ProbeRow[];
  readonly end: PagesEnd;
}
