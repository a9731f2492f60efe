import { z } from 'zod';
import { milliseconds, number, percent } from '../../../amounts.ts';
import type { History } from '../../../history/history.ts';
import { code, type Html, html } from '../../markup.ts';
import { table } from '../../section.ts';

/** A target may name as many as it likes. */
const mostRows = 40;

const rowSchema = z.object({
  endpoint: z.string(),
  metric: z.string(),
  answers: z.number(),
  p50: z.number(),
  p99: z.number(),
  most: z.number(),
  share: z.number().nullable(),
});

/** The part of the service time that the target says it took, by endpoint; undefined where it says nothing. */
export async function serverTimingPart(history: History): Promise<Html | undefined> {
  const rows = await history.rows(
    rowSchema,
    `WITH entry AS (
       SELECT endpoint, answered_ns - sent_ns AS service_ns, unnest(string_split(server_timing, ' ')) AS text
       FROM requests WHERE server_timing IS NOT NULL AND probe IS NULL AND status IS NOT NULL AND sent_ns IS NOT NULL
     ), timed AS (
       SELECT endpoint, service_ns, split_part(text, '=', 1) AS metric, try_cast(split_part(text, '=', 2) AS DOUBLE) AS ms FROM entry
     )
     SELECT endpoint, metric, count(*) AS answers, quantile_disc(ms, 0.5) AS p50, quantile_disc(ms, 0.99) AS p99, max(ms) AS most,
       sum(ms) * 1e6 / nullif(sum(service_ns), 0) AS share
     FROM timed WHERE ms IS NOT NULL GROUP BY endpoint, metric ORDER BY answers DESC, endpoint, metric LIMIT ${mostRows}`,
  );
  if (rows.length === 0) return undefined;
  return html`<h3 id="server-timing">The target’s own part</h3>
<p>Durations that the target gave in <code>Server-Timing</code>. The rest of the service time is network, queues and what the target does not time. Durations of one answer may overlap.</p>
${table('Durations from Server-Timing in milliseconds, by endpoint, without probes', rows, [
  ['Endpoint', ({ endpoint }) => endpoint],
  ['Duration', ({ metric }) => code(metric)],
  ['n', ({ answers }) => number(answers), 'number'],
  ['p50', ({ p50 }) => milliseconds(p50), 'number'],
  ['p99', ({ p99 }) => milliseconds(p99), 'number'],
  ['max', ({ most }) => milliseconds(most), 'number'],
  ['Share of service time', ({ share }) => share !== null && percent(share), 'number'],
])}`;
}
