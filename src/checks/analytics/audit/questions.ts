import { z } from 'zod';
import { ownText } from '../../../history/columns.ts';
import type { History } from '../../../history/history.ts';
import { parsedJson } from '../../../target/json.ts';
import type { Profile } from '../../../target/profile.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import type { Probe } from '../../../vocabulary/probes.ts';
import { isSuccessStatus } from '../../core/found.ts';
import { probeColumn } from '../../core/probe-names.ts';
import type { Convention } from '../causes/row.ts';
import { isSame } from '../compare/changes.ts';
import type { AskedPart, Cover } from '../compare/sums.ts';
import { type Report, returnedIn } from '../record/questions.ts';

/** One request of an audit, and what came back. */
export interface AuditRecord {
  readonly seq: number;
  readonly endpoint: string;
  readonly phase: string;
  readonly probe: Probe | null;
  readonly status: number | null;
  /** Null: it was never sent. */
  readonly sentNs: number | null;
  readonly answeredNs: number | null;
  readonly productId: string | null;
  /** What is wrong with a 2xx body against the interface. */
  readonly problem: string | null;
  /** What analytics were asked, as sent. */
  readonly query: {
    readonly start_date?: string | undefined;
    readonly end_date?: string | undefined;
    readonly product_id?: string | undefined;
  };
  /** The body of a 2xx answer, where every field can be read. */
  readonly report: Report | null;
}

/** One readable answer to a question. */
export interface AuditRead {
  readonly seq: number;
  readonly phase: string;
  readonly sentNs: number;
  readonly answeredNs: number;
  readonly report: Report;
}

/** One distinct question of an audit's rounds, with its answers. */
export interface AskedQuestion {
  readonly start: string;
  readonly end: string;
  /** Null: all products. */
  readonly product: string | null;
  /** In words. */
  readonly asked: string;
  /** In the order asked. */
  readonly reads: readonly AuditRead[];
  /** Its answers in the first and in the last round. */
  readonly first: AuditRead | undefined;
  readonly last: AuditRead | undefined;
  /** Of a product without any session. */
  readonly isUnknown: boolean;
  /** Of the product of the audit's own session alone. */
  readonly isOwn: boolean;
}

/** What the relations are judged on. */
export interface Audit {
  readonly records: readonly AuditRecord[];
  readonly questions: readonly AskedQuestion[];
  readonly profile: Profile['analytics'];
  /** When the run's zero was by the target's clock, epoch ms: at some instant in an interval. */
  readonly zeroMs: Bounds;
  /** No write of the run was left without an answer, so none can still be on its way. */
  readonly isSettled: boolean;
  /** Sessions that redeliveries of the audit's own requests may have created. */
  readonly mostUngranted: number;
  /** Whether the profile tells a convention, and not the reference service its own. */
  wasTold(convention: Convention): boolean;
}

const rounds: readonly string[] = [
  studyPhases.auditFirst,
  studyPhases.auditReread,
  studyPhases.auditOrder,
  studyPhases.auditLast,
];
const auditPhases: readonly string[] = [
  studyPhases.auditDates,
  studyPhases.auditBefore,
  studyPhases.auditSession,
  ...rounds,
];

const rowSchema = z.object({
  seq: z.number(),
  endpoint: z.string(),
  phase: z.string(),
  probe: probeColumn.nullable(),
  status: z.number().nullable(),
  sent_ns: z.number().nullable(),
  answered_ns: z.number().nullable(),
  product_id: z.string().nullable(),
  problem: z.string().nullable(),
  query: z.string().nullable(),
  body: z.string().nullable(),
});

const querySchema = z.object({
  start_date: z.string().optional(),
  end_date: z.string().optional(),
  product_id: z.string().optional(),
});

/**
 * Every request of the audits of a run, in the order asked: a few hundred, whatever the target holds. And whatever else
 * the run wrote without learning what became of it.
 */
export async function readAuditRecords(history: History): Promise<AuditRecord[]> {
  const rows = await history.rows(
    rowSchema,
    `SELECT r.seq, r.endpoint, phase, probe, status, sent_ns, answered_ns, product_id, problem,
            CAST(a.query AS VARCHAR) AS query, CAST(a.body AS VARCHAR) AS body
     FROM requests r LEFT JOIN answers a ON a.seq = r.seq
     WHERE stage = 'study' AND phase IN (${auditPhases.map(ownText).join(', ')})
       OR lost IS NOT NULL AND r.endpoint IN ('create-session', 'interact')
     ORDER BY r.seq`,
  );
  return rows.map(({ answered_ns, body, product_id, query, sent_ns, status, ...row }) => ({
    ...row,
    status,
    sentNs: sent_ns,
    answeredNs: answered_ns,
    productId: product_id,
    query: querySchema.catch({}).parse(parsedJson(query)),
    report: isSuccessStatus(status) ? reportOf(parsedJson(body)) : null,
  }));
}

/** A body as a report; null where a field is missing or of another type. */
export function reportOf(body: unknown): Report | null {
  const returned = returnedIn(body);
  const isWhole = (each: typeof returned): each is Report =>
    each !== undefined && !Object.values(each).includes(null);
  return isWhole(returned) ? returned : null;
}

/** Sorts the requests of an audit by what they asked. */
export function auditOf(
  records: readonly AuditRecord[],
  from: Pick<Audit, 'profile' | 'zeroMs' | 'wasTold'> & { readonly redeliveries: number },
): Audit {
  const own = records.find(({ probe }) => probe === 'audit:session')?.productId ?? null;
  const inRounds = records.filter(
    ({ endpoint, phase }) => endpoint === 'analytics' && rounds.includes(phase),
  );
  return {
    ...from,
    records,
    questions: [...Map.groupBy(inRounds, ({ query }) => JSON.stringify(query)).values()].map((group) =>
      questionOf(group, own),
    ),
    isSettled: !records.some(
      ({ endpoint, sentNs, status }) => endpoint !== 'analytics' && sentNs !== null && status === null,
    ),
    mostUngranted: from.redeliveries * records.filter(({ probe }) => probe === 'audit:session').length,
  };
}

function questionOf(records: readonly AuditRecord[], own: string | null): AskedQuestion {
  const [example] = records;
  const query = example?.query ?? {};
  const { end_date: end = '', product_id: product = null, start_date: start = '' } = query;
  const reads = records.flatMap(({ answeredNs, phase, report, sentNs, seq }): AuditRead[] =>
    report === null || sentNs === null || answeredNs === null
      ? []
      : [{ seq, phase, sentNs, answeredNs, report }],
  );
  return {
    ...{ start, end, product, reads, asked: askedIn({ query }) },
    first: reads.find(({ phase }) => phase === studyPhases.auditFirst),
    last: reads.find(({ phase }) => phase === studyPhases.auditLast),
    isUnknown: example?.probe === 'audit:unknown-product',
    isOwn: own !== null && product === own,
  };
}

/** What a request asked, in words: `all products, 2026-05-01 / 2026-05-31`. */
export function askedIn({ query }: Pick<AuditRecord, 'query'>): string {
  const dates = [query.start_date, query.end_date].map((date) => date ?? 'none').map((date) => date || '""');
  return `${query.product_id ?? 'all products'}, ${dates.join(' / ')}`;
}

/** A question, with others whose sessions it counts, each once, and as many others at least and at most. */
export interface AskedCover {
  readonly whole: AskedQuestion;
  readonly parts: readonly AskedQuestion[];
  readonly rest: Bounds;
}

/**
 * The answers of a cover; undefined unless all of them were right at one instant. Sessions are only ever added, and analytics may
 * lag by `freshness`. So an answer shows the account as it was at one instant in `[sent − freshness, answered]`, and what the
 * first round shows is no later, what the last round shows no sooner, than one instant between them if that is long enough.
 * Only then do the answers of several questions bound what all of them had to be at that instant.
 */
export function coverOf({ profile }: Audit, { parts, rest, whole }: AskedCover): Cover | undefined {
  const rounds = [whole, ...parts].flatMap(({ asked, first, last }) =>
    first === undefined || last === undefined ? [] : { asked, first, last },
  );
  const latestFirstNs = Math.max(...rounds.map(({ first }) => first.answeredNs));
  const soonestLastNs = Math.min(...rounds.map(({ last }) => last.sentNs)) - profile.freshness * 1e6;
  const [all, ...others] = rounds.map(
    ({ asked, first, last }): AskedPart => ({
      asked,
      ...{ first: first.report, last: last.report, seqs: [first.seq, last.seq] },
    }),
  );
  return all === undefined || others.length < parts.length || latestFirstNs > soonestLastNs
    ? undefined
    : { whole: all, parts: others, rest };
}

/** The answers of covers that can be compared, and of how many others that cannot be. */
export function comparable(
  audit: Audit,
  covers: readonly AskedCover[],
): { readonly covers: readonly Cover[]; readonly skipped: number } {
  const found = covers.map((cover) => coverOf(audit, cover));
  // A 4xx for an unknown product shows nothing about the others.
  const due = covers.filter(({ parts }, at) => found[at] || !parts.some(({ isUnknown }) => isUnknown));
  const whole = found.filter((cover) => cover !== undefined);
  return { covers: whole, skipped: due.length - whole.length };
}

/** Whether nothing about the questions of a cover moved from the first round to the last. */
export function isStill({ parts, whole }: Cover): boolean {
  return [whole, ...parts].every(({ first, last }) => isSame(first, last));
}
