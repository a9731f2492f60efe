import { z } from 'zod';
import type { CheckResult } from '../../checks/core/verdict.ts';
import type { History } from '../../history/history.ts';

/** Records of checks that did not pass, which the page has with everything that belongs to them. */
export const mostRecords = 100;
/** Requests of one story, and of all, since the page must stay small. A record that is evidence is always among them. */
const mostRequests = 40;
const mostOfAll = 600;
/** Characters of one body. */
const mostOfBody = 1_500;

const requestRow = z.object({
  seq: z.number(),
  stage: z.string(),
  phase: z.string(),
  planned: z.number().nullable(),
  credential: z.string(),
  endpoint: z.string(),
  probe: z.string().nullable(),
  shopper: z.number().nullable(),
  intended_ns: z.number(),
  sent_ns: z.number().nullable(),
  service_ms: z.number().nullable(),
  outcome: z.string(),
  session_id: z.string().nullable(),
  product_id: z.string().nullable(),
  catalog_id: z.string().nullable(),
  items: z.number().nullable(),
  count: z.number().nullable(),
  retry_after: z.string().nullable(),
  limit_headers: z.string().nullable(),
  problem: z.string().nullable(),
  events: z.string().nullable(),
  query: z.string().nullable(),
  body: z.string().nullable(),
});
/** A request with its events and its answer, as far as the history keeps them. */
export type StoryRequest = z.output<typeof requestRow>;

/** All requests of a shopper, or of a session without a shopper, or a request that has neither. */
export interface Story {
  readonly shopper: number | null;
  readonly requests: readonly StoryRequest[];
  /** Requests that are left out. */
  readonly omitted: number;
}

/**
 * The records of failures, then of inconclusive checks, as many as the page has stories for. The checks take turns, so
 * that each has some.
 */
export function carriedRecords(checks: readonly CheckResult[]): ReadonlySet<number> {
  const inTurn = (['fail', 'inconclusive'] as const).flatMap((verdict) => {
    const lists = checks
      .filter((check) => check.verdict === verdict)
      .map((check) => check.evidence.flatMap((evidence) => evidence.seqs).filter(Number.isSafeInteger));
    const most = Math.max(0, ...lists.map(({ length }) => length));
    return Array.from({ length: most }, (_, place) =>
      lists.flatMap((list) => list.slice(place, place + 1)),
    ).flat();
  });
  return new Set([...new Set(inTurn)].slice(0, mostRecords));
}

/** The stories that these records are part of. */
export async function readStories(history: History, seqs: ReadonlySet<number>): Promise<Story[]> {
  if (seqs.size === 0) return [];
  const rows = await history.rows(
    requestRow.extend({ story: z.string() }),
    `WITH named AS (SELECT seq, shopper, session_id FROM requests WHERE seq IN (${[...seqs].join(', ')})),
     owner AS (
       SELECT session_id, min(shopper) AS shopper FROM requests
       WHERE session_id IN (SELECT session_id FROM named) GROUP BY session_id
     ), root AS (
       SELECT DISTINCT coalesce(n.shopper, o.shopper) AS shopper,
         CASE WHEN coalesce(n.shopper, o.shopper) IS NULL THEN n.session_id END AS session_id,
         CASE WHEN coalesce(n.shopper, o.shopper) IS NULL AND n.session_id IS NULL THEN n.seq END AS seq
       FROM named n LEFT JOIN owner o USING (session_id)
     ), opened AS (
       SELECT DISTINCT session_id, shopper FROM requests
       WHERE shopper IN (SELECT shopper FROM root) AND session_id IS NOT NULL
     ), part AS (
       SELECT seq, 'shopper ' || shopper AS story FROM requests WHERE shopper IN (SELECT shopper FROM root)
       UNION SELECT r.seq, 'shopper ' || o.shopper FROM requests r JOIN opened o USING (session_id) WHERE r.shopper IS NULL
       UNION SELECT seq, 'session ' || session_id FROM requests WHERE session_id IN (SELECT session_id FROM root)
       UNION SELECT seq, 'request ' || seq FROM root WHERE seq IS NOT NULL
     ), event AS (
       SELECT seq, string_agg(type || ' ' || coalesce(sku, ''), ', ' ORDER BY place) AS events
       FROM interactions WHERE seq IN (SELECT seq FROM part) GROUP BY seq
     )
     SELECT p.story, r.seq, r.stage, r.phase, r.planned, r.credential, r.endpoint, r.probe, r.shopper, r.intended_ns,
       r.sent_ns, (r.answered_ns - r.sent_ns) / 1e6 AS service_ms,
       coalesce(CAST(r.status AS VARCHAR), 'lost: ' || r.lost, 'not sent: ' || r.not_sent, 'unknown') AS outcome,
       r.session_id, r.product_id, r.catalog_id, r.items, r.count, r.retry_after, r.limit_headers, r.problem,
       left(e.events, ${mostOfBody + 1}) AS events, CAST(a.query AS VARCHAR) AS query,
       left(CAST(a.body AS VARCHAR), ${mostOfBody + 1}) AS body
     FROM (FROM part QUALIFY row_number() OVER (PARTITION BY seq ORDER BY story) = 1) p
     JOIN requests r USING (seq) LEFT JOIN event e USING (seq) LEFT JOIN answers a USING (seq)
     ORDER BY coalesce(r.sent_ns, r.intended_ns), r.seq`,
  );
  const stories = [...Map.groupBy(rows, ({ story }) => story).values()];
  const most = Math.min(mostRequests, Math.floor(mostOfAll / stories.length));
  return stories.map((requests): Story => {
    const rest = most - requests.filter(({ seq }) => seqs.has(seq)).length;
    let others = 0;
    const kept = requests.filter(({ seq }) => seqs.has(seq) || others++ < rest);
    return {
      shopper: requests.find(({ shopper }) => shopper !== null)?.shopper ?? null,
      requests: kept.map(({ events, body, ...request }) => ({
        ...request,
        events: cut(events),
        body: cut(body),
      })),
      omitted: requests.length - kept.length,
    };
  });
}

function cut(text: string | null): string | null {
  return text !== null && text.length > mostOfBody ? `${text.slice(0, mostOfBody)} …` : text;
}

/** Each in the order of time: the stories of failed checks, then of those without a verdict. */
export function failuresFirst(stories: readonly Story[], checks: readonly CheckResult[]): readonly Story[] {
  const failed = new Set(
    checks
      .filter(({ verdict }) => verdict === 'fail')
      .flatMap(({ evidence }) => evidence.flatMap(({ seqs }) => seqs)),
  );
  const [yes = [], no = []] = [true, false].map((is) =>
    stories.filter(({ requests }) => requests.some(({ seq }) => failed.has(seq)) === is),
  );
  return [...yes, ...no];
}
