import { z } from 'zod';
import { ownText } from '../../../history/columns.ts';
import type { History } from '../../../history/history.ts';
import { sqlText } from '../../../history/tables.ts';
import { parsedJson } from '../../../target/json.ts';
import { settlePhases, setupPhases } from '../../../vocabulary/phases.ts';
import type { Probe } from '../../../vocabulary/probes.ts';
import { type Role, roles } from '../../../vocabulary/roles.ts';
import { noData } from '../../core/no-data.ts';
import { probeColumn } from '../../core/probes.ts';

/**
 * What the run asked GET /analytics/sessions, and what came back: the answers to judge, the early ones of the same
 * queries, and the baseline that the account held before the run.
 */

/** One distinct query: who asked, for which period and product. */
export interface Query {
  /** Place in `Questions.queries`. */
  readonly index: number;
  readonly credential: Role;
  /** As sent. */
  readonly startDate: string;
  /** As sent. */
  readonly endDate: string;
  /** Null: all products. */
  readonly productId: string | null;
  /** Names the query in reports, unique within a run: the product id or `all products`, with key and period where they differ. */
  readonly label: string;
  /** The product may have sessions that are not known. */
  readonly hasPast: boolean;
}

/** The fields of an answer that could be read; null where absent or of another type (which the contract check judges). */
export type Returned = z.output<typeof bodySchema>;
const bodySchema = z
  .object({
    period: z.string().nullable().catch(null),
    total_sessions: z.number().nullable().catch(null),
    avg_shades_per_session: z.number().nullable().catch(null),
    cart_intent_rate: z.number().nullable().catch(null),
    top_shades: z
      .array(z.object({ sku: z.string(), selections: z.number() }))
      .readonly()
      .nullable()
      .catch(null),
  })
  .transform(({ period, ...shown }) => ({
    period,
    totalSessions: shown.total_sessions,
    avgShadesPerSession: shown.avg_shades_per_session,
    cartIntentRate: shown.cart_intent_rate,
    topShades: shown.top_shades,
  }));

/** An answer of which every field can be read. */
export type Report = { readonly [Name in keyof Returned]: NonNullable<Returned[Name]> };

/** One answer to a query. */
export interface QueryAnswer {
  readonly seq: number;
  /** `Query.index`. */
  readonly query: number;
  readonly phase: string;
  readonly sentNs: number;
  readonly answeredNs: number;
  readonly returned: Returned;
}

export interface Questions {
  readonly queries: readonly Query[];
  /** In the order asked. */
  readonly judged: readonly QueryAnswer[];
  /** Answers that need not be complete yet, in the order asked. */
  readonly early: readonly QueryAnswer[];
  /** Unfiltered answers from before anything was created. */
  readonly baselines: readonly Baseline[];
  /** Judged requests without a readable 2xx answer, whose query was not answered another time either. */
  readonly unanswered: readonly number[];
}

/** The phases of requests whose answers are judged, and of those that tell what there was before. */
export interface AskedPhases {
  readonly baseline: string;
  readonly early: string;
  readonly judged: readonly string[];
  /** Those of probes that ask as any client does: how a target answers them is judged, should it answer. */
  readonly probes: readonly Probe[];
  /** The products whose every session is of the run; undefined: all are. */
  readonly ownProducts?: ReadonlySet<string | null>;
}

/** What a run asks of itself. */
export const ofRun: AskedPhases = {
  baseline: setupPhases.baseline,
  early: settlePhases.analyticsEarly,
  judged: [settlePhases.analytics],
  probes: ['empty-period', 'long-period', 'unsold-product', 'tenancy:analytics'],
};

/** What an account held before the run. */
export type Baseline = Pick<Query, 'credential' | 'startDate' | 'endDate'> &
  Pick<QueryAnswer, 'sentNs' | 'returned'>;

const querySchema = z
  .object({ start_date: z.string(), end_date: z.string(), product_id: z.string().optional() })
  .transform(({ end_date, product_id, start_date }) => ({
    ...{ startDate: start_date, endDate: end_date, productId: product_id ?? null },
  }));

const rowSchema = z.object({
  seq: z.number(),
  phase: z.string(),
  probe: probeColumn.nullable(),
  credential: z.enum(roles),
  productId: z.string().nullable(),
  sentNs: z.number().nullable(),
  answeredNs: z.number().nullable(),
  /** What was asked; undefined where it was not kept. */
  query: z
    .string()
    .nullable()
    .transform((text) => querySchema.safeParse(parsedJson(text)).data),
  /** Of a 2xx answer. */
  returned: z
    .string()
    .nullable()
    .transform((text) => returnedIn(parsedJson(text))),
  /** It was refused, and may be. */
  hasNoData: z.boolean(),
});
type AnsweredRow = z.output<typeof rowSchema>;

/** Reads every analytics query of some phases with its answers. Contract probes are not among them. */
export async function readQuestions(history: History, asked: AskedPhases): Promise<Questions> {
  const { ownProducts } = asked;
  const { isRefused } = await noData(history);
  const phases = [asked.baseline, asked.early, ...asked.judged];
  const rows = await history.rows(
    rowSchema,
    `SELECT r.seq, r.phase, r.credential, r.probe, r.product_id AS productId, r.sent_ns AS sentNs, r.answered_ns AS answeredNs,
       CAST(a.query AS VARCHAR) AS query, CASE WHEN r.status BETWEEN 200 AND 299 THEN CAST(a.body AS VARCHAR) END AS returned,
       r.no_data AS hasNoData
     FROM (SELECT *, coalesce(${isRefused}, false) AS no_data FROM requests) r LEFT JOIN answers a ON a.seq = r.seq
     WHERE r.endpoint = 'analytics' AND (r.probe IS NULL OR r.probe IN (${asked.probes.map(ownText).join(', ')}))
       AND r.credential IN (${roles.map((role) => sqlText(role)).join(', ')}) AND r.phase IN (${phases.map(ownText).join(', ')})
     ORDER BY r.seq`,
  );
  const drafts: Omit<Query, 'label'>[] = [];
  const judged: QueryAnswer[] = [];
  const early: QueryAnswer[] = [];
  const baselines: Baseline[] = [];
  const unread: AnsweredRow[] = [];
  for (const row of rows) {
    const { answeredNs, credential, phase, query, returned, sentNs, seq } = row;
    const isJudged = asked.judged.includes(phase);
    if (phase === asked.baseline) {
      if (query?.productId === null && returned !== undefined)
        baselines.push({ ...query, credential, sentNs: sentNs ?? 0, returned });
    } else if (query === undefined || returned === undefined || sentNs === null || answeredNs === null) {
      // How a target answers for a period long ago or of years, or a product without sessions or of another account, is its own affair; what it says there, if anything, is judged.
      if (isJudged && row.probe === null && !row.hasNoData) unread.push(row);
    } else {
      const hasPast = query.productId !== null && ownProducts?.has(query.productId) === false;
      const own = { ...query, credential, hasPast };
      const draft = drafts.find((known) => isSameQuery(known, own)) ?? { ...own, index: drafts.length };
      drafts[draft.index] = draft;
      (isJudged ? judged : early).push({ seq, query: draft.index, phase, sentNs, answeredNs, returned });
    }
  }
  // An answer that was not kept does not say what was asked, beyond the product.
  const isAnswered = ({ credential, productId, query }: AnsweredRow): boolean =>
    judged.some((answer) => {
      const draft = drafts[answer.query];
      if (draft === undefined) return false;
      return query === undefined
        ? draft.credential === credential && draft.productId === productId
        : isSameQuery(draft, { ...query, credential });
    });
  const unanswered = unread.filter((row) => !isAnswered(row)).map(({ seq }) => seq);
  return { queries: labelled(drafts), judged, early, baselines, unanswered };
}

type QueryFields = Pick<Query, 'credential' | 'startDate' | 'endDate' | 'productId'>;

const isSameQuery = (a: QueryFields, b: QueryFields): boolean =>
  a.productId === b.productId &&
  a.credential === b.credential &&
  a.startDate === b.startDate &&
  a.endDate === b.endDate;

/** Both ends of a long id, in which those that are alike differ. */
function shortId(id: string): string {
  return id.length > 64 ? `${id.slice(0, 48)}…${id.slice(-12)}` : id;
}

/** The fields of a body, as far as they can be read; undefined where it is no object. */
export const returnedIn = (body: unknown): Returned | undefined => bodySchema.safeParse(body).data;

function labelled(drafts: readonly Omit<Query, 'label'>[]): Query[] {
  const severalKeys = new Set(drafts.map((draft) => draft.credential)).size > 1;
  const severalPeriods = new Set(drafts.map((draft) => `${draft.startDate} / ${draft.endDate}`)).size > 1;
  return drafts.map((draft) => {
    const what = draft.productId === null ? 'all products' : shortId(draft.productId);
    const period = severalPeriods ? `, ${draft.startDate} / ${draft.endDate}` : '';
    const key = severalKeys && draft.credential !== 'load' ? ` (${draft.credential} key)` : '';
    return { ...draft, label: `${what}${period}${key}` };
  });
}
