import { z } from 'zod';
import { counted, milliseconds, number, percent, span } from '../amounts.ts';
import { dataOf } from '../checks/core/check-data.ts';
import { sessionVisible } from '../checks/core/session-visible.ts';
import type { Judgement } from '../checks/diagnosis/judgement.ts';
import type { History } from '../history/history.ts';
import { oncePerHistory } from '../history/tables.ts';
import type { RateLimit } from '../vocabulary/quantities.ts';
import { type NotSentReason, notSentReasons } from '../vocabulary/requests.ts';
import { saturationSteps } from './tables.ts';

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
  other_4xx: z.number(),
  other_4xx_of_probes: z.number(),
  odd: z.number(),
  sessions: z.number(),
});

const notSentRow = z.object({ reason: z.enum(notSentReasons), n: z.number() });

const percentilesRow = z.object({ percentiles: z.array(z.coerce.number()).nullable() });

const openingRow = z.object({
  connections: z.number(),
  resolve_ms: z.number().nullable(),
  connect_ms: z.number().nullable(),
  handshake_ms: z.number().nullable(),
  addresses: z.number(),
});

const waitsRow = z.object({ spun: z.number(), thread: z.number(), timer: z.number() });

/** The handful of numbers at the head of every report. */
export async function keyFigures(history: History, judgement: Judgement): Promise<readonly KeyFigure[]> {
  const totals = await countTotals(history);
  if (totals.length === 0) return [];
  return [...totals, ...mostAdmitted(judgement, history.profile.rate_limit), ...(await absence(history))];
}

/** A convention of the target that few would expect. */
async function absence(history: History): Promise<KeyFigure[]> {
  const { foundMs, reads } = await sessionVisible(history);
  const value = `at most ${span(Math.ceil(foundMs))} after creation (${counted(reads, 'request')} before: 404)`;
  return reads === 0 ? [] : [{ label: 'New sessions found', value }];
}

/** What the check found: an interval, since when exactly a request was counted is known only to within its round trip. */
function mostAdmitted({ checks }: Judgement, limit: RateLimit): readonly KeyFigure[] {
  const onEachKey = dataOf(checks, 'rate-limit.admitted')?.most ?? [];
  const [most] = onEachKey.toSorted((a, b) => (b.min ?? 0) - (a.min ?? 0));
  if (most?.min === undefined || most.max === undefined) return [];
  const { max, min } = most;
  const window = limit.windowMs === 60_000 ? 'minute' : span(limit.windowMs);
  const shown = min === max ? number(min) : `at least ${number(min)}, at most ${number(max)}`;
  return [{ label: `Most admitted in any ${window}`, value: `${shown} (limit ${number(limit.requests)})` }];
}

/** In a few words each; the report lists them with their reasons. */
const notSentWords: Readonly<Record<NotSentReason, string>> = {
  'no-session': 'because there was no session',
  patience: 'because the shopper had left',
  'in-flight-bound': 'because of the bound in flight',
  'no-connection': 'because the target took no connection',
  'no-address': 'because the name of the target was not resolved',
  'no-socket': 'because this machine had no socket left',
  'no-channel': 'because there is no interaction channel',
  'bad-header': 'because no header can carry the token of the session',
  'no-key': 'because the key is missing',
  stopped: 'because the run ended early',
};

/** `7,788 of 9,171`, and for each reason a line: `1,383 because there was no session`. */
function sentFigures(
  { due, sent }: { readonly due: number; readonly sent: number },
  notSent: readonly z.infer<typeof notSentRow>[],
): KeyFigure[] {
  return [
    { label: 'Requests sent', value: `${number(sent)} of ${number(due)}` },
    ...notSent.map(({ n, reason }) => ({
      label: 'Not sent',
      value: `${number(n)} ${notSentWords[reason]}`,
    })),
  ];
}

const countTotals = oncePerHistory(async (history): Promise<readonly KeyFigure[]> => {
  const [all] = await history.rows(
    row,
    `SELECT count(*) AS due, count(sent_ns) AS sent, count(*) FILTER (status BETWEEN 200 AND 299) AS admitted,
       count(*) FILTER (status = 429) AS limited, count(*) FILTER (status = 402) AS over_quota,
       count(*) FILTER (not_sent IS NULL AND status IS NULL) AS lost,
       count(*) FILTER (status BETWEEN 500 AND 599) AS server_error,
       count(*) FILTER (status BETWEEN 400 AND 499 AND status NOT IN (402, 429)) AS other_4xx,
       count(*) FILTER (status BETWEEN 400 AND 499 AND status NOT IN (402, 429) AND probe IS NOT NULL) AS other_4xx_of_probes,
       count(*) FILTER (status NOT BETWEEN 200 AND 299 AND status NOT BETWEEN 400 AND 599) AS odd,
       count(*) FILTER (endpoint = 'create-session' AND status BETWEEN 200 AND 299) AS sessions
     FROM requests`,
  );
  const notSent = await history.rows(
    notSentRow,
    'SELECT not_sent AS reason, count(*) AS n FROM requests WHERE not_sent IS NOT NULL GROUP BY ALL ORDER BY n DESC, reason',
  );
  // Each by itself: a percentile holds all its values in memory.
  const [response] = await history.rows(
    percentilesRow,
    `SELECT quantile_disc(answered_ns - intended_ns, [0.5, 0.99]) AS percentiles FROM requests
     WHERE stage = 'load' AND status BETWEEN 200 AND 299`,
  );
  const [lag] = await history.rows(
    percentilesRow,
    `SELECT quantile_disc(coalesce(first_sent_ns, sent_ns) - ready_ns, [0.99]) AS percentiles FROM requests
     WHERE stage = 'load' AND sent_ns IS NOT NULL`,
  );
  const [p50Ns, p99Ns] = response?.percentiles ?? [];
  const [lagNs] = lag?.percentiles ?? [];
  if (all === undefined || all.due === 0) return [];
  const [waited] = await history.rows(
    waitsRow,
    `SELECT coalesce(sum(json_extract(event, '$.waits.spun')::BIGINT), 0)::DOUBLE AS spun,
       coalesce(sum(json_extract(event, '$.waits.thread')::BIGINT), 0)::DOUBLE AS thread,
       coalesce(sum(json_extract(event, '$.waits.timer')::BIGINT), 0)::DOUBLE AS timer
     FROM events WHERE kind = 'self' AND json_extract(event, '$.atNs')::DOUBLE >
       (SELECT min(ready_ns) + 1e9 FROM requests WHERE stage IN ('load', 'study'))`,
  );
  const [opening] = await history.rows(
    openingRow,
    `SELECT count(opening_ns) AS connections, max(resolve_ns) / 1e6 AS resolve_ms, max(connect_ns) / 1e6 AS connect_ms,
       max(handshake_ns) / 1e6 AS handshake_ms, count(DISTINCT remote_address) AS addresses
     FROM requests WHERE sent_ns IS NOT NULL`,
  );
  const fastest = (await saturationSteps(history)).toSorted(
    (a, b) => b.requests_per_second - a.requests_per_second,
  )[0];
  return [
    ...sentFigures(all, notSent),
    { label: 'Admitted (2xx)', value: number(all.admitted) },
    { label: 'Rejected (429)', value: number(all.limited) },
    { label: 'Over quota (402)', value: number(all.over_quota) },
    // Rare outcomes get a line only if they occur, so that the lines add up to the requests sent.
    ...other4xx(all),
    { label: 'Server errors (5xx)', value: number(all.server_error) },
    ...some('Other answers', all.odd),
    { label: 'Lost (no answer)', value: number(all.lost) },
    { label: 'Sessions created', value: number(all.sessions) },
    ...some('Also, in closed loops', await sentInClosedLoops(history)),
    ...(p50Ns === undefined || p99Ns === undefined
      ? []
      : [
          {
            label: 'Response p50 / p99',
            value: `${milliseconds(p50Ns / 1e6)} / ${milliseconds(p99Ns / 1e6)} ms`,
          },
        ]),
    ...(lagNs === undefined ? [] : [{ label: 'Send lag p99', value: `${milliseconds(lagNs / 1e6)} ms` }]),
    ...openings(opening),
    ...waits(waited),
    ...(fastest === undefined
      ? []
      : [
          {
            label: 'Most requests/s in a closed loop',
            value: `${number(Math.round(fastest.requests_per_second))} (${counted(fastest.connections, 'connection')})`,
          },
        ]),
  ];
});

/** Of connections: no part of the send lag, and no service time. A history of an older version does not say. */
function openings(row: z.infer<typeof openingRow> | undefined): KeyFigure[] {
  if (row === undefined || row.connections === 0) return [];
  const parts = [
    ['resolve', row.resolve_ms],
    ['connect', row.connect_ms],
    ['TLS', row.handshake_ms],
  ] as const;
  const longest = parts.flatMap(([part, ms]) => (ms === null ? [] : [`${part} ${milliseconds(ms)}`]));
  const to = row.addresses > 1 ? ` to ${number(row.addresses)} addresses` : '';
  return [
    {
      label: 'Connections opened',
      value: `${number(row.connections)}${to}, longest ${longest.join(', ')} ms`,
    },
  ];
}

/** Where Node's timers ended more of the waits than this, the machine was too busy to keep time exactly. */
const mostByTimer = 0.1;

/** How the generator waited for instants, set-up left out: the timer thread starts in it. A history of an older version does not say. */
function waits(
  { spun, thread, timer }: z.infer<typeof waitsRow> = { spun: 0, thread: 0, timer: 0 },
): KeyFigure[] {
  const all = spun + thread + timer;
  if (all === 0) return [];
  const ways: readonly [string, number][] = [
    ['spin', spun],
    ['timer thread', thread],
    ['Node timers', timer],
  ];
  const parts = ways.filter(([, count]) => count > 0).map(([way, count]) => `${way} ${percent(count / all)}`);
  const isBusy = timer / all > mostByTimer;
  return [{ label: 'Waits', value: `${parts.join(', ')}${isBusy ? ' (machine busy)' : ''}` }];
}

/** Probes ask for most of these; one that no probe asked for is a surprise. */
function other4xx({ other_4xx, other_4xx_of_probes }: z.infer<typeof row>): KeyFigure[] {
  const whose =
    other_4xx === other_4xx_of_probes ? 'all from probes' : `${number(other_4xx_of_probes)} from probes`;
  return other_4xx === 0 ? [] : [{ label: 'Other 4xx', value: `${number(other_4xx)} (${whose})` }];
}

function some(label: string, count: number): KeyFigure[] {
  return count === 0 ? [] : [{ label, value: number(count) }];
}

const loopRow = z.object({
  errors: z.number(),
  statuses: z.string().transform((text) => z.record(z.string(), z.number()).parse(JSON.parse(text))),
});

/** Requests of which only sums are remembered, answered or lost. */
async function sentInClosedLoops(history: History): Promise<number> {
  const loops = await history.rows(
    loopRow,
    `SELECT CAST(json_extract(event, '$.statuses') AS VARCHAR) AS statuses,
       CAST(json_extract(event, '$.errors') AS DOUBLE) AS errors
     FROM events
     WHERE kind = 'saturation' OR (kind = 'capacity' AND json_extract_string(event, '$.model') = 'closed')`,
  );
  return loops.reduce(
    (sum, { errors, statuses }) => sum + Object.values(statuses).reduce((a, b) => a + b, errors),
    0,
  );
}
