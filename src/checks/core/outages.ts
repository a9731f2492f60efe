import { z } from 'zod';
import { ownText } from '../../history/columns.ts';
import type { History } from '../../history/history.ts';
import { oncePerHistory } from '../../history/tables.ts';
import { type ApiCall, keyOf } from '../../model/call.ts';
import { credentials } from '../../vocabulary/requests.ts';
import { roles } from '../../vocabulary/roles.ts';
import { admitted, firstSeqs, seqsColumn } from './found.ts';
import { isProbe } from './probes.ts';

/** Whose requests fail; of everything, nothing is said. */
interface OutageSubject {
  readonly key?: string;
  readonly endpoint?: string;
  /** How many connections fail, while others do not. */
  readonly connections?: number;
}

/** Spans of time in which every request of a subject fails alike, and outside of which none fails so. */
export interface Outage extends OutageSubject {
  /** The HTTP status, or `lost`. */
  readonly outcome: string;
  readonly spans: readonly OutageSpan[];
  readonly failed: number;
  /** Those of them that are no calls of the explorer. */
  readonly ordinary: number;
  readonly seqs: readonly number[];
}

export interface Outages {
  readonly outages: readonly Outage[];
  /** Nothing failed otherwise than in them. */
  readonly isAllOutages: boolean;
}

export interface OutageSpan {
  readonly fromMs: number;
  readonly toMs: number;
  /** No request of the subject succeeds after it. */
  readonly isLast: boolean;
}

/** Fewer requests in a row may be chance: they only fit an outage. Ours. */
export const leastInSpan = 5;
/** As an outage begins or ends, requests under way may overtake each other within this time. Ours. */
const edgeMs = 250;
/** Beside what fails in a span, so much may succeed as it begins and ends. Ours. */
const mostBetween = 0.02;
/** What fails in more pieces than these is no outage. Ours. */
const mostPieces = 500;
/** Chance makes such runs of failures about once in a million times: e^-14; of few requests, once in a hundred times. */
const unlikely = { many: -14, few: -4.6 };
/** More subjects than these that fail each by itself have something else in common. Ours. */
const mostSubjects = 3;

/** What is not found may never have been there. */
const idStatuses: ReadonlySet<string> = new Set(['404', '410']);
/** Limits reject a few requests in a row, too. */
const neverFew: ReadonlySet<string> = new Set([...idStatuses, '429']);

/** Requests that fail in a row, between two that succeed. */
const pieceRow = z.object({
  subject: z.string(),
  /** How many succeed before it. */
  after: z.number(),
  failed: z.number(),
  ordinary: z.number(),
  from_ms: z.number(),
  to_ms: z.number(),
  /** Of the whole subject. */
  succeeded: z.number(),
  keys: z.number(),
  endpoints: z.number(),
  seqs: seqsColumn,
});
type PieceRow = z.output<typeof pieceRow>;

const valid = credentials.filter((credential) => credential !== 'none' && credential !== 'bad');

/** The ways in which ordinary requests with valid keys fail. What a limit or a quota rejects is told apart by its check. */
const outcomeSql = `CASE WHEN ${admitted} THEN 'good' WHEN status <> 402 THEN CAST(status AS VARCHAR)
  WHEN lost IN ('timeout', 'reset', 'protocol') OR not_sent = 'no-connection' THEN 'lost' END`;
/** What no call of the explorer with a valid key should get; and events that were accepted, which end an outage. */
const isExplored = `${isProbe('explored')} AND (credential = 'session' AND endpoint = 'interact' AND ${admitted} OR endpoint <> 'interact'
  AND credential IN (${roles.map(ownText).join(', ')}) AND (status IN (401, 403) OR status >= 500 OR lost IS NOT NULL OR ${admitted}))`;
const ordinary = `(probe IS NULL AND credential IN (${valid.map(ownText).join(', ')}) OR ${isExplored})`;

/** How requests are told apart, the whole target first. */
const divisions: readonly { readonly by: string; readonly of: (subject: string) => OutageSubject }[] = [
  { by: "''", of: () => ({}) },
  // Tokens of sessions are for events alone.
  { by: 'credential', of: (key) => (key === 'session' ? { endpoint: 'interact' } : { key }) },
  { by: 'endpoint', of: (endpoint) => ({ endpoint }) },
  {
    by: "concat(credential, ' ', endpoint)",
    of: (subject) => ({ key: subject.split(' ')[0] ?? '', endpoint: subject.split(' ')[1] ?? '' }),
  },
];

/**
 * The outages of a run, one way to fail after the other: of everything, a key, an endpoint, an endpoint with one key, or
 * some connections, whichever explains first all that fails so. None for what fails at other times, too.
 */
export const readOutages = oncePerHistory(async (history): Promise<Outages> => {
  const outcomes = await history.rows(
    z.object({ outcome: z.string(), failed: z.number() }),
    `SELECT ${outcomeSql} AS outcome, count(*) AS failed FROM requests WHERE ${ordinary}
     GROUP BY outcome HAVING outcome <> 'good' ORDER BY outcome`,
  );
  const outages: Outage[] = [];
  for (const { failed, outcome } of outcomes)
    if (failed >= (neverFew.has(outcome) ? leastInSpan : 2))
      outages.push(...(await outagesOf(history, outcome)));
  const explained = new Set(outages.map(({ outcome }) => outcome));
  return {
    outages,
    isAllOutages: outcomes.every(({ outcome }) => outcome === '429' || explained.has(outcome)),
  };
});

/** Whether a call got what an outage's requests get, and then: they may overtake each other as it begins or ends. */
export function isOfOutage(
  { endpoint, key, outcome, spans }: Outage,
  { answer, fromMs, op, untilMs, ...call }: ApiCall,
  zeroMs: number,
): boolean {
  const isSubject = (key === undefined || key === keyOf(call)) && (endpoint === undefined || endpoint === op);
  const isWithin = (span: OutageSpan): boolean =>
    untilMs - zeroMs >= span.fromMs - edgeMs && (span.isLast || fromMs - zeroMs <= span.toMs + edgeMs);
  return isSubject && outcome === String(answer.status) && spans.some(isWithin);
}

async function outagesOf(history: History, outcome: string): Promise<Outage[]> {
  for (const { by, of } of divisions) {
    const pieces = await piecesBy(history, outcome, by);
    // One key or one endpoint is not everything; an id that is not found is no matter of time.
    const isOne = pieces.every(({ endpoints, keys }) => endpoints < 2 || keys < 2);
    const isOfIds = idStatuses.has(outcome) && pieces.every(({ endpoints }) => endpoints < 2);
    if (isOfIds || (by === "''" && isOne)) continue;
    const found = [...Map.groupBy(pieces, ({ subject }) => subject)].map(([subject, own]) => {
      const spans = spansOf(own);
      return spans && { ...of(subject), outcome, spans, ...totalOf(own) };
    });
    const outages = found.filter((each) => each !== undefined);
    if (found.length > 0 && found.length <= mostSubjects && outages.length === found.length) return outages;
  }
  if (idStatuses.has(outcome)) return [];
  return ofConnections(await piecesBy(history, outcome, 'CAST(local_port AS VARCHAR)'), outcome);
}

async function piecesBy(history: History, outcome: string, by: string): Promise<PieceRow[]> {
  const pieces = await history.rows(
    pieceRow,
    `WITH asked AS (
       SELECT seq, probe, credential, endpoint, coalesce(sent_ns, intended_ns) AS at_ns, ${by} AS subject, ${outcomeSql} = 'good' AS good
       FROM requests WHERE ${ordinary} AND ${outcomeSql} IN ('good', ${ownText(outcome)})),
     cut AS (SELECT *, count(*) FILTER (good) OVER (PARTITION BY subject ORDER BY at_ns, seq) AS after FROM asked),
     whole AS (
       SELECT subject, count(*) FILTER (good) AS succeeded, count(DISTINCT credential) FILTER (NOT good) AS keys,
         count(DISTINCT endpoint) FILTER (NOT good) AS endpoints
       FROM asked WHERE subject IS NOT NULL GROUP BY subject)
     SELECT subject, after, count(*) AS failed, count(*) FILTER (probe IS NULL) AS ordinary, min(at_ns) / 1e6 AS from_ms, max(at_ns) / 1e6 AS to_ms,
       any_value(succeeded) AS succeeded, any_value(keys) AS keys, any_value(endpoints) AS endpoints, ${firstSeqs} AS seqs
     FROM cut JOIN whole USING (subject) WHERE NOT good GROUP BY subject, after ORDER BY subject, after LIMIT ${mostPieces + 1}`,
  );
  return pieces.length > mostPieces ? [] : pieces;
}

/** The spans that all that fails is in; undefined where some fails at another time, or so much by chance. */
function spansOf(pieces: readonly PieceRow[]): OutageSpan[] | undefined {
  const spans: { fromMs: number; toMs: number; failed: number; between: number; after: number }[] = [];
  for (const { after, failed, from_ms: fromMs, to_ms: toMs } of pieces) {
    const last = spans.at(-1);
    if (last === undefined || fromMs - last.toMs > edgeMs)
      spans.push({ fromMs, toMs, failed, between: 0, after });
    else {
      last.between += after - last.after;
      Object.assign(last, { toMs, failed: last.failed + failed, after });
    }
  }
  const succeeded = pieces[0]?.succeeded ?? 0;
  const { failed } = totalOf(pieces);
  const isFew = failed < leastInSpan;
  // Few requests at the same time may have something else in common.
  const areWhole = isFew
    ? spans.length === 1 && pieces.length === 1 && spans.every((each) => each.toMs - each.fromMs > edgeMs)
    : spans.every(
        (each) => each.failed >= leastInSpan && each.between <= Math.max(2, mostBetween * each.failed),
      );
  const logChance = (failed - spans.length) * Math.log(failed / (failed + succeeded));
  const isUnlikely = logChance < (isFew ? unlikely.few : unlikely.many) && succeeded >= leastInSpan;
  if (!areWhole || !isUnlikely) return undefined;
  return spans.map(({ after, fromMs, toMs }) => ({ fromMs, toMs, isLast: after === succeeded }));
}

/** Connections on which everything fails in one span of time, while others go on: those to one node, say. */
function ofConnections(pieces: readonly PieceRow[], outcome: string): Outage[] {
  const connections = new Set(pieces.map(({ subject }) => subject)).size;
  // Each has one piece, and something before or after it succeeds on it.
  if (connections < 2 || pieces.length > connections || pieces.some(({ succeeded }) => succeeded === 0))
    return [];
  const { failed, ordinary, seqs } = totalOf(pieces);
  const succeeded = pieces.reduce((sum, each) => sum + each.succeeded, 0);
  if ((failed - connections) * Math.log(failed / (failed + succeeded)) >= unlikely.many) return [];
  const span = {
    fromMs: Math.min(...pieces.map(({ from_ms }) => from_ms)),
    toMs: Math.max(...pieces.map(({ to_ms }) => to_ms)),
    isLast: pieces.every(({ after, succeeded: all }) => after === all),
  };
  return [{ connections, outcome, spans: [span], failed, ordinary, seqs }];
}

function totalOf(pieces: readonly PieceRow[]): Pick<Outage, 'failed' | 'ordinary' | 'seqs'> {
  return {
    failed: pieces.reduce((sum, { failed }) => sum + failed, 0),
    ordinary: pieces.reduce((sum, { ordinary }) => sum + ordinary, 0),
    seqs: pieces.flatMap(({ seqs }) => seqs).slice(0, 4),
  };
}
