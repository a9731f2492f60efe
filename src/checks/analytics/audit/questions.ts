import { z } from 'zod';
import { ownText } from '../../../history/columns.ts';
import type { History } from '../../../history/history.ts';
import { parsedJson } from '../../../target/json.ts';
import type { Profile } from '../../../target/profile.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import { probeColumn } from '../../core/probes.ts';
import { type CausesByField, causesByField } from '../causes/causes.ts';
import {
  type AskedPhases,
  type Query,
  type QueryAnswer,
  type Report,
  readQuestions,
  returnedIn,
} from '../record/questions.ts';
import { changedFields } from '../results/stability.ts';
import { type QuestionsTable, tableOfPast } from '../results/table.ts';

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
export interface AuditRead extends Pick<QueryAnswer, 'seq' | 'phase' | 'sentNs' | 'answeredNs'> {
  readonly report: Report;
}

/** What a question is about: the product of the audit's own session, one without any, days to come, or what has a past. */
type AskedAbout = 'own' | 'unknown' | 'ahead' | 'past';

/** One distinct question of an audit's rounds, with its answers. */
export interface AskedQuestion {
  readonly query: Query;
  readonly subject: AskedAbout;
  /** In the order asked. */
  readonly reads: readonly AuditRead[];
  /** Its answers in the first and in the last round. */
  readonly first: AuditRead | undefined;
  readonly last: AuditRead | undefined;
}

/** What an audit is judged on. */
export interface Audit {
  readonly history: Pick<History, 'profile'>;
  readonly profile: Profile['analytics'];
  readonly records: readonly AuditRecord[];
  readonly questions: readonly AskedQuestion[];
  /** Each answer, by what is known of the account. */
  readonly table: QuestionsTable;
  /** What explains its wrong answers. */
  readonly causes: CausesByField;
  /** No write of the run was left without an answer, so none can still be on its way. */
  readonly isSettled: boolean;
  /** The requests for the audit's own session: the last of them, or the first that was granted, counts. */
  readonly openings: readonly AuditRecord[];
}

const { auditBefore, auditDates, auditFirst, auditLast, auditOrder, auditReread, auditSession } = studyPhases;
const rounds = [auditFirst, auditReread, auditOrder, auditLast];
/** Questions that may get a 4xx. */
export const openProbes = ['audit:unknown-product', 'audit:far-ahead', 'audit:long-ago'] as const;

/**
 * Every request of the audits of a run, in the order asked: a few hundred, whatever the target holds. And whatever else
 * the run wrote without learning what became of it.
 */
function readAuditRecords(history: History): Promise<AuditRecord[]> {
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
const reportOf = (body: unknown): Report | null => wholeReport(returnedIn(body));

function wholeReport(returned: ReturnType<typeof returnedIn>): Report | null {
  const isWhole = (each: typeof returned): each is Report =>
    each !== undefined && !Object.values(each).includes(null);
  return isWhole(returned) ? returned : null;
}

/** The audit of a run. Its account has a past: of most products nothing is known but what its answers say of each other. */
export async function readAudit(history: History): Promise<Audit> {
  const records = await readAuditRecords(history);
  const openings = records.filter(({ probe }) => probe === 'audit:session');
  const own = openings[0]?.productId;
  const unknown = records.find(({ probe }) => probe === 'audit:unknown-product')?.productId;
  const asked: AskedPhases = {
    ...{ baseline: auditBefore, early: auditBefore, judged: rounds, probes: openProbes },
    ownProducts: new Set([own, unknown].flatMap((product) => product ?? [])),
  };
  const { baselines, ...rest } = await readQuestions(history, asked);
  // Of shorter periods, what others do later in old sessions may move these out.
  const read = { ...rest, baselines: baselines.slice(0, 1) };
  const isSettled = !records.some(
    ({ endpoint, sentNs, status }) => endpoint !== 'analytics' && sentNs !== null && status === null,
  );
  const { analytics } = history.profile;
  const ended = records.flatMap(({ answeredNs, endpoint, phase, sentNs }) =>
    endpoint !== 'analytics' && phase === auditSession ? (answeredNs ?? sentNs ?? []) : [],
  );
  const before = read.baselines[0]?.sentNs ?? openings[0]?.sentNs ?? Number.MAX_SAFE_INTEGER;
  const table = await tableOfPast(history, read, {
    profile: { ...analytics, exclusive: analytics.exclusive && isSettled },
    lastActNs: Math.max(0, ...ended),
    during: { min: before, max: read.judged.at(-1)?.answeredNs ?? 0 },
  });
  const ahead = records.find(({ probe }) => probe === 'audit:far-ahead')?.query.start_date;
  const subjectOf = ({ hasPast, productId, startDate }: Query): AskedAbout => {
    if (startDate === ahead) return 'ahead';
    return productId === null || hasPast ? 'past' : productId === own ? 'own' : 'unknown';
  };
  const questions = read.queries.map((query): AskedQuestion => {
    const reads = read.judged.flatMap(({ query: index, returned, ...answer }): AuditRead[] => {
      const report = index === query.index ? wholeReport(returned) : null;
      return report === null ? [] : [{ ...answer, report }];
    });
    return {
      ...{ query, reads, subject: subjectOf(query) },
      first: reads.find(({ phase }) => phase === auditFirst),
      last: reads.find(({ phase }) => phase === auditLast),
    };
  });
  // Two in a row that differ are not a matter of what was asked before.
  const changes = questions.flatMap(({ query, reads }) => {
    const inARow = reads.filter(({ phase }) => phase === auditReread);
    return inARow.slice(1).map(({ report: after }, at) => ({
      ...{ query: query.label, before: inARow[at]?.report ?? after, after },
    }));
  });
  const changing = changedFields(changes).filter((field) => field !== 'period');
  const causes = await causesByField(history, table, changing);
  return { history, profile: analytics, records, questions, table, causes, openings, isSettled };
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
    ({ query: { endDate, productId, startDate } }) =>
      productId === null && startDate === start_date && endDate === end_date,
  );
  return { before, question };
}
