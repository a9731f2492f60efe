import { z } from 'zod';
import { ownText } from '../../../history/columns.ts';
import type { History } from '../../../history/history.ts';
import { parsedJson } from '../../../target/json.ts';
import { studyPhases } from '../../../vocabulary/phases.ts';
import type { Probe } from '../../../vocabulary/probes.ts';
import type { TopShade } from '../../../wire.ts';
import { isSuccessStatus } from '../../core/found.ts';
import { probeColumn } from '../../core/probe-names.ts';

/** An answer of GET /analytics/sessions, its fields as they came. */
export interface Report {
  readonly period: string;
  readonly sessions: number;
  readonly average: number;
  readonly rate: number;
  readonly shades: readonly TopShade[];
}

/** One request, and what came back. */
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
  /** The body of a 2xx answer, where it can be read. */
  readonly report: Report | null;
}

const auditPhases: readonly string[] = [
  studyPhases.auditDates,
  studyPhases.auditBefore,
  studyPhases.auditSession,
  studyPhases.auditFirst,
  studyPhases.auditReread,
  studyPhases.auditOrder,
  studyPhases.auditLast,
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

const bodySchema = z.object({
  period: z.string(),
  total_sessions: z.number(),
  avg_shades_per_session: z.number(),
  cart_intent_rate: z.number(),
  top_shades: z.array(z.object({ sku: z.string(), selections: z.number() })),
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
  const parsed = bodySchema.safeParse(body);
  if (!parsed.success) return null;
  const { avg_shades_per_session, cart_intent_rate, period, top_shades, total_sessions } = parsed.data;
  return {
    period,
    sessions: total_sessions,
    average: avg_shades_per_session,
    rate: cart_intent_rate,
    shades: top_shades,
  };
}
