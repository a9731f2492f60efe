import { z } from 'zod';
import { ownText } from '../../../history/columns.ts';
import type { History } from '../../../history/history.ts';
import { parsedJson } from '../../../target/json.ts';
import type { Profile } from '../../../target/profile.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import { probeColumn } from '../../core/probes.ts';
import type { Convention } from '../causes/row.ts';
import { type Report, returnedIn } from '../record/questions.ts';

const querySchema = z.object({
  start_date: z.string().optional(),
  end_date: z.string().optional(),
  product_id: z.string().optional(),
});

const recordSchema = z.object({
  seq: z.number(),
  endpoint: z.string(),
  phase: z.string(),
  probe: probeColumn.nullable(),
  status: z.number().nullable(),
  /** Null: it was never sent. */
  sentNs: z.number().nullable(),
  answeredNs: z.number().nullable(),
  productId: z.string().nullable(),
  /** What is wrong with a 2xx body against the interface. */
  problem: z.string().nullable(),
  /** What analytics were asked, as sent. */
  query: z
    .string()
    .nullable()
    .transform((text) => querySchema.catch({}).parse(parsedJson(text))),
  /** The body of a 2xx answer, where every field can be read. */
  report: z
    .string()
    .nullable()
    .transform((text) => reportOf(parsedJson(text))),
});

/** One request of an audit, and what came back. */
export type AuditRecord = z.output<typeof recordSchema>;

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
  /** The requests for the audit's own session: the last of them, or the first that was granted, counts. */
  readonly openings: readonly AuditRecord[];
  /** Sessions that redeliveries of these may have created. */
  readonly mostUngranted: number;
  /** Whether the profile tells a convention, and not the reference service its own. */
  wasTold(convention: Convention): boolean;
}

const { auditBefore, auditDates, auditFirst, auditLast, auditOrder, auditReread, auditSession } = studyPhases;
const rounds: readonly string[] = [auditFirst, auditReread, auditOrder, auditLast];

/**
 * Every request of the audits of a run, in the order asked: a few hundred, whatever the target holds. And whatever else
 * the run wrote without learning what became of it.
 */
export function readAuditRecords(history: History): Promise<AuditRecord[]> {
  const phases = [auditDates, auditBefore, auditSession, ...rounds];
  return history.rows(
    recordSchema,
    `SELECT r.seq, r.endpoint, phase, probe, status, sent_ns AS sentNs, answered_ns AS answeredNs, product_id AS productId, problem,
       CAST(a.query AS VARCHAR) AS query, CASE WHEN status BETWEEN 200 AND 299 THEN CAST(a.body AS VARCHAR) END AS report
     FROM requests r LEFT JOIN answers a ON a.seq = r.seq
     WHERE stage = 'study' AND phase IN (${phases.map(ownText).join(', ')})
       OR lost IS NOT NULL AND r.endpoint IN ('create-session', 'interact')
     ORDER BY r.seq`,
  );
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
  const openings = records.filter(({ probe }) => probe === 'audit:session');
  const asked = records.filter(({ endpoint, phase }) => endpoint === 'analytics' && rounds.includes(phase));
  const groups = Map.groupBy(asked, ({ query }) => JSON.stringify(query));
  return {
    ...{ ...from, records, openings },
    questions: [...groups.values()].map((group) => questionOf(group, openings[0]?.productId ?? null)),
    isSettled: !records.some(
      ({ endpoint, sentNs, status }) => endpoint !== 'analytics' && sentNs !== null && status === null,
    ),
    mostUngranted: from.redeliveries * openings.length,
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
    first: reads.find(({ phase }) => phase === auditFirst),
    last: reads.find(({ phase }) => phase === auditLast),
    isUnknown: example?.probe === 'audit:unknown-product',
    isOwn: own !== null && product === own,
  };
}

/** What a request asked, in words: `all products, 2026-05-01 / 2026-05-31`. */
export function askedIn({ query }: Pick<AuditRecord, 'query'>): string {
  const dates = [query.start_date, query.end_date].map((date) => date ?? 'none').map((date) => date || '""');
  return `${query.product_id ?? 'all products'}, ${dates.join(' / ')}`;
}

/** The question for all products that was also asked before the audit's session, and the answer then. */
export function beforeSession({ questions, records }: Audit): {
  readonly before: AuditRecord | undefined;
  readonly question: AskedQuestion | undefined;
} {
  const before = records.find(({ phase, productId }) => phase === auditBefore && productId === null);
  const { end_date, start_date } = before?.query ?? {};
  const question = questions.find(
    ({ end, product, start }) => product === null && start === start_date && end === end_date,
  );
  return { before, question };
}
