import { z } from 'zod';
import type { History } from '../history/history.ts';
import { milliseconds, number, perWindow } from './format.ts';
import { admittedInWindow, chooseBuckets } from './series.ts';

/** A number that the first look at a run asks for. */
export interface KeyFigure {
  readonly label: string;
  readonly value: string;
}

const row = z.object({
  sent: z.number(),
  due: z.number(),
  admitted: z.number(),
  limited: z.number(),
  over_quota: z.number(),
  lost: z.number(),
  server_error: z.number(),
  sessions: z.number(),
  response_p50: z.number().nullable(),
  response_p99: z.number().nullable(),
  send_lag_p99: z.number().nullable(),
});

/** The handful of numbers at the head of every report. */
export async function keyFigures(history: History): Promise<KeyFigure[]> {
  const [all] = await history.rows(
    row,
    `SELECT count(*) AS due, count(sent_ns) AS sent, count(*) FILTER (status BETWEEN 200 AND 299) AS admitted,
       count(*) FILTER (status = 429) AS limited, count(*) FILTER (status = 402) AS over_quota,
       count(*) FILTER (not_sent IS NULL AND status IS NULL) AS lost,
       count(*) FILTER (status BETWEEN 500 AND 599) AS server_error,
       count(*) FILTER (endpoint = 'create-session' AND status BETWEEN 200 AND 299) AS sessions,
       quantile_disc(answered_ns - intended_ns, 0.5) FILTER (stage = 'load' AND status BETWEEN 200 AND 299) / 1e6 AS response_p50,
       quantile_disc(answered_ns - intended_ns, 0.99) FILTER (stage = 'load' AND status BETWEEN 200 AND 299) / 1e6 AS response_p99,
       quantile_disc(sent_ns - ready_ns, 0.99) FILTER (stage = 'load' AND sent_ns IS NOT NULL) / 1e6 AS send_lag_p99
     FROM requests`,
  );
  if (all === undefined || all.due === 0) return [];
  const peak = (await admittedInWindow(history, await chooseBuckets(history))).reduce(
    (most, point) => Math.max(most, point.n),
    0,
  );
  const limit = history.profile.rate_limit;
  const latency = (value: number | null): string => (value === null ? '—' : `${milliseconds(value)} ms`);
  return [
    { label: 'Requests sent', value: `${number(all.sent)} of ${number(all.due)}` },
    { label: 'Admitted (2xx)', value: number(all.admitted) },
    { label: 'Limited (429)', value: number(all.limited) },
    { label: 'Over quota (402)', value: number(all.over_quota) },
    { label: 'Server errors (5xx)', value: number(all.server_error) },
    { label: 'Lost (no answer)', value: number(all.lost) },
    { label: 'Sessions created', value: number(all.sessions) },
    {
      label: 'Most admitted in a window',
      value: `${number(peak)}, limit ${perWindow(limit.requests, limit.windowMs)}`,
    },
    { label: 'Response p50 / p99', value: `${latency(all.response_p50)} / ${latency(all.response_p99)}` },
    { label: 'Send lag p99', value: latency(all.send_lag_p99) },
  ];
}
