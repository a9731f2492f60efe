import { z } from 'zod';
import { milliseconds } from '../../../amounts.ts';
import type { History } from '../../../history/history.ts';
import { instant } from '../../format.ts';
import { type Html, html } from '../../markup.ts';
import { atNs, table } from '../../section.ts';
import { traceOf } from '../../trace-link.ts';

const mostRows = 20;

const rowSchema = z.object({
  seq: z.number(),
  endpoint: z.string(),
  outcome: z.string(),
  sent_ns: z.number(),
  service_ms: z.number(),
  response_ms: z.number(),
});

/** The slowest requests with their traces, for a look at them in the reader's backend; nothing without traces. */
export async function slowestPart(history: History): Promise<Html | undefined> {
  if (history.run.trace_run === undefined) return undefined;
  const rows = await history.rows(
    rowSchema,
    `SELECT seq, endpoint, coalesce(CAST(status AS VARCHAR), 'lost: ' || lost) AS outcome, sent_ns,
       (answered_ns - sent_ns) / 1e6 AS service_ms, (answered_ns - intended_ns) / 1e6 AS response_ms
     FROM requests WHERE sent_ns IS NOT NULL AND answered_ns IS NOT NULL AND probe IS NULL
     ORDER BY answered_ns - sent_ns DESC, seq LIMIT ${mostRows}`,
  );
  return html`<h3 id="slowest">Slowest requests and their traces</h3>
${table(
  'Requests with the longest service time, without probes',
  rows,
  [
    ['seq', ({ seq }) => String(seq), 'number'],
    ['Sent', ({ sent_ns }) => instant(sent_ns), 'number'],
    ['Request', ({ endpoint }) => endpoint],
    ['Outcome', ({ outcome }) => outcome],
    ['Service time, ms', ({ service_ms }) => milliseconds(service_ms), 'number'],
    ['Response time, ms', ({ response_ms }) => milliseconds(response_ms), 'number'],
    ['Trace', ({ seq }) => traceOf(history, seq)],
  ],
  ({ sent_ns }) => atNs(sent_ns),
)}`;
}
