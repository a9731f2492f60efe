import { z } from 'zod';
import { counted, milliseconds, number, span } from '../amounts.ts';
import { sessionVisible } from '../checks/core/session-visible.ts';
import { dataOf } from '../checks/core/verdict.ts';
import type { Judgement } from '../checks/diagnosis/diagnosis.ts';
import { kindText } from '../checks/reasons/words/limits.ts';
import { requestText } from '../checks/reasons/words/requests.ts';
import type { History } from '../history/history.ts';
import type { RateLimit } from '../vocabulary/quantities.ts';
import { notSentReasons } from '../vocabulary/requests.ts';
import {
  outcomeCounts,
  outcomeNames,
  outcomes,
  type PhaseOutcome,
  sumOf,
  whyNoAnswer,
} from './sections/requests.ts';
import { windowName } from './text.ts';

/** A number that the first look at a run asks for. */
export interface KeyFigure {
  readonly label: string;
  readonly value: string;
  /** What it is of, or made of. */
  readonly note?: string | undefined;
  /** `first` figures are on every first screen; `more` about the target; `own` about tryon, for who asks for all. */
  readonly rank: 'first' | 'more' | 'own';
}

/** `38.2/s; load of 150 requests in 3.9 s`. */
export function figureText({ note, value }: KeyFigure): string {
  return note === undefined ? value : `${value}; ${note}`;
}

/** The handful of numbers at the head of every report. */
export async function keyFigures(history: History, judgement: Judgement): Promise<readonly KeyFigure[]> {
  const counts = await outcomeCounts(history);
  if (counts.length === 0) return [];
  const inLoops = await inClosedLoops(history);
  const [created] = await history.rows(
    z.object({ n: z.number() }),
    "SELECT count(*) AS n FROM requests WHERE endpoint = 'create-session' AND status BETWEEN 200 AND 299",
  );
  return [
    sentFigure(counts, await whyNotSent(history)),
    ...(await loadFigures(history, counts)),
    ...(inLoops === 0
      ? []
      : [{ label: 'Also, in closed loops', value: counted(inLoops, 'request'), rank: 'first' } as const]),
    ...mostAdmitted(judgement, history.profile.rate_limit),
    ...slowOutsideLoad(judgement),
    ...(await absence(history)),
    { label: 'Sessions created', value: number(created?.n ?? 0), rank: 'more' },
    ...(await ownFigures(history)),
  ];
}

/** `7,788 of 9,171 sent; not sent: 1,383 (the shopper had left); 7,000 admitted (2xx), 788 rejected (429)`. */
function sentFigure(counts: readonly PhaseOutcome[], whyNot: readonly string[]): KeyFigure {
  const ends = outcomeNames.filter((name) => name !== 'not-sent');
  const parts = ends
    .filter((name) => sumOf(counts, name) > 0)
    .map((name) => `${number(sumOf(counts, name))} ${outcomes[name].label}${ofProbes(counts, name)}`);
  const sent = sumOf(counts, ...ends);
  const of = sumOf(counts, ...outcomeNames);
  const note = [
    ...(whyNot.length === 0 ? [] : [`not sent: ${whyNot.join(', ')}`]),
    ...(parts.length === 0 ? [] : [parts.join(', ')]),
  ];
  return {
    label: 'Requests',
    value: `${sent === of ? number(sent) : `${number(sent)} of ${number(of)}`} sent`,
    note: note.length === 0 ? undefined : note.join('; '),
    rank: 'first',
  };
}

/** Probes ask for most of the other 4xx; one that no probe asked for is a surprise. */
function ofProbes(counts: readonly PhaseOutcome[], name: PhaseOutcome['outcome']): string {
  if (name !== '4xx') return '';
  const probes = counts.filter((each) => each.is_probe);
  return sumOf(probes, name) === sumOf(counts, name)
    ? ' (all from probes)'
    : ` (${number(sumOf(probes, name))} from probes)`;
}

/** `1,336 (its session was rejected or never answered)`, for each reason. */
async function whyNotSent(history: History): Promise<string[]> {
  const rows = await history.rows(
    z.object({ reason: z.enum(notSentReasons), n: z.number() }),
    'SELECT not_sent AS reason, count(*) AS n FROM requests WHERE not_sent IS NOT NULL GROUP BY ALL ORDER BY n DESC, reason',
  );
  return rows.map(({ n, reason }) => `${number(n)} (${whyNoAnswer[reason]})`);
}

const loadRow = z.object({
  from_ns: z.number().nullable(),
  to_ns: z.number().nullable(),
  percentiles: z.array(z.coerce.number()).nullable(),
});

/** Of the load alone, which the promises are about: rates over all of its time, and latencies of its 2xx answers. */
async function loadFigures(history: History, counts: readonly PhaseOutcome[]): Promise<KeyFigure[]> {
  const [load] = await history.rows(
    loadRow,
    `SELECT min(sent_ns) AS from_ns, max(coalesce(answered_ns, sent_ns)) AS to_ns,
       quantile_disc(answered_ns - intended_ns, [0.5, 0.95, 0.99]) FILTER (status BETWEEN 200 AND 299) AS percentiles
     FROM requests WHERE stage = 'load' AND sent_ns IS NOT NULL`,
  );
  if (load?.from_ns == null || load.to_ns === null) return [];
  const own = counts.filter(({ stage }) => stage === 'load');
  const sent = sumOf(own, ...outcomeNames.filter((name) => name !== 'not-sent'));
  const good = sumOf(own, '2xx');
  const tookMs = (load.to_ns - load.from_ns) / 1e6;
  const perSecond = (n: number): string => `${number(Number(((n * 1e3) / tookMs).toPrecision(3)))}/s`;
  const [p50, p95, p99] = (load.percentiles ?? []).map((ns) => milliseconds(ns / 1e6));
  return [
    {
      label: 'Throughput',
      value: `${perSecond(sent)}, goodput (2xx) ${perSecond(good)}`,
      note: `load of ${counted(sent, 'request')} in ${span(tookMs)}`,
      rank: 'first',
    },
    ...(p50 === undefined
      ? []
      : [
          {
            label: 'Response time',
            value: `p50 ${p50}, p95 ${p95}, p99 ${p99} ms`,
            note: `${counted(good, '2xx answer')} of the load`,
            rank: 'first',
          } as const,
        ]),
  ];
}

/** What the check found: an interval, since when exactly a request was counted is known only to within its round trip. */
function mostAdmitted({ checks }: Judgement, limit: RateLimit): KeyFigure[] {
  const onEachKey = dataOf(checks, 'rate-limit.admitted')?.most ?? [];
  const [most] = onEachKey.toSorted((a, b) => (b.min ?? 0) - (a.min ?? 0));
  if (most?.min === undefined || most.max === undefined) return [];
  const shown = most.min === most.max ? number(most.min) : `${number(most.min)} to ${number(most.max)}`;
  // More than the limit may be right: a window that begins anew may admit twice as much around its beginning.
  const reasons = checks.flatMap((check) => check.reasons);
  const allowed = reasons.find((each) => each.code === 'admitted-as-kind-allows')?.params;
  const why =
    allowed === undefined || allowed.allowed === limit.requests
      ? ''
      : `, and a ${kindText(allowed.promised)} may admit ${number(allowed.allowed)} in any ${windowName(limit.windowMs)}`;
  return [
    {
      label: `Most admitted in any ${windowName(limit.windowMs)}`,
      value: shown,
      note: `limit ${number(limit.requests)}${why}`,
      rank: 'first',
    },
  ];
}

/** Answers over the bounds that have nothing in common: the check passes, and a reader has to know. */
function slowOutsideLoad({ checks }: Judgement): KeyFigure[] {
  const all = checks.flatMap(({ reasons }) => reasons);
  const kept = all.find((each) => each.code === 'outside-load-kept')?.params;
  if (kept === undefined || kept.over === 0) return [];
  const value = `up to ${span(kept.slowestMs)} (${requestText(kept.slowest)})`;
  const note = `${number(kept.over)} of ${counted(kept.requests, 'answer')} over the bound of the load`;
  return [{ label: 'Slow outside the load', value, note, rank: 'first' }];
}

/** A convention of the target that few would expect. */
async function absence(history: History): Promise<KeyFigure[]> {
  const { afterMs, reads } = await sessionVisible(history);
  const value = `up to ${span(Math.ceil(afterMs))} after creation`;
  const note = `${counted(reads, 'request')}, and none later`;
  return reads === 0 ? [] : [{ label: 'New sessions get 404', value, note, rank: 'first' }];
}

const loopRow = z.object({
  errors: z.number(),
  statuses: z.string().transform((text) => z.record(z.string(), z.number()).parse(JSON.parse(text))),
});

/** Requests of which only sums are remembered, answered or lost. */
async function inClosedLoops(history: History): Promise<number> {
  const loops = await history.rows(
    loopRow,
    `SELECT CAST(json_extract(event, '$.statuses') AS VARCHAR) AS statuses, CAST(json_extract(event, '$.errors') AS DOUBLE) AS errors
     FROM events WHERE kind = 'capacity' AND json_extract_string(event, '$.model') = 'closed'`,
  );
  return loops.reduce(
    (sum, { errors, statuses }) => sum + Object.values(statuses).reduce((a, b) => a + b, errors),
    0,
  );
}

const openingRow = z.object({
  lag_ns: z.coerce.number().nullable(),
  connections: z.number(),
  resolve_ms: z.number().nullable(),
  connect_ms: z.number().nullable(),
  handshake_ms: z.number().nullable(),
  addresses: z.number(),
  /** Addresses that gave no connection. */
  failed: z.string().nullable(),
});

/** Opening a connection for so long is shown to everybody: most targets need a fraction of it. Ours. */
const longOpeningMs = 1_000;

/** How tryon itself fared. A history of an older version says less. */
async function ownFigures(history: History): Promise<KeyFigure[]> {
  const [own] = await history.rows(
    openingRow,
    `SELECT quantile_disc(coalesce(first_sent_ns, sent_ns) - ready_ns, 0.99) FILTER (stage = 'load') AS lag_ns,
       count(opening_ns) AS connections, max(resolve_ns) / 1e6 AS resolve_ms, max(connect_ns) / 1e6 AS connect_ms,
       max(handshake_ns) / 1e6 AS handshake_ms, count(DISTINCT remote_address) AS addresses,
       (SELECT string_agg(replace(json_extract_string(event, '$.what'), 'address ', ''), ', ') FROM events
        WHERE kind = 'discovered' AND json_extract_string(event, '$.what') LIKE 'address %') AS failed
     FROM requests WHERE sent_ns IS NOT NULL`,
  );
  const parts = [
    ['resolve', own?.resolve_ms],
    ['connect', own?.connect_ms],
    ['TLS', own?.handshake_ms],
  ] as const;
  const longest = parts.flatMap(([part, ms]) => (ms == null ? [] : [`${part} ${milliseconds(ms)}`]));
  const { addresses = 0, connections = 0, failed } = own ?? {};
  const to = addresses > 1 ? ` to ${number(addresses)} addresses` : '';
  const none = failed == null ? '' : `; ${failed} gave no connection`;
  const isNotable = to + none !== '' || parts.some(([, ms]) => (ms ?? 0) > longOpeningMs);
  const figures: readonly (KeyFigure | undefined)[] = [
    own?.lag_ns == null
      ? undefined
      : { label: 'Send lag p99', value: `${milliseconds(own.lag_ns / 1e6)} ms`, rank: 'own' },
    connections === 0
      ? undefined
      : {
          label: 'Connections opened',
          value: `${number(connections)}${to}, longest ${longest.join(', ')} ms${none}`,
          rank: isNotable ? 'more' : 'own',
        },
  ];
  return figures.filter((each) => each !== undefined);
}

/** Why the run ended early, if it did. */
export function stopsOf(history: History) {
  return history.rows(
    z.object({ at_ns: z.number(), reason: z.string(), detail: z.string() }),
    `SELECT CAST(json_extract(event, '$.atNs') AS BIGINT) AS at_ns, json_extract_string(event, '$.reason') AS reason,
       json_extract_string(event, '$.detail') AS detail
     FROM events WHERE kind = 'stopped' ORDER BY at_ns LIMIT 10`,
  );
}
