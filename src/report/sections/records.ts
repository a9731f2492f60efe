import { z } from 'zod';
import { counted, milliseconds, number } from '../../amounts.ts';
import { analyticsTable } from '../../checks/analytics/results/table.ts';
import type { CheckResult } from '../../checks/core/verdict.ts';
import type { History } from '../../history/history.ts';
import {
  badge,
  code,
  details,
  foreign,
  joined,
  lines,
  link,
  nothing,
  paragraph,
  prose,
  quiet,
  type ReportFigure,
  type Text,
  t,
  table,
} from '../figure.ts';
import type { Section, SectionInput } from '../section.ts';
import { instant, utcMs } from '../text.ts';
import { traceOf } from './latency.ts';

/**
 * The records that show a failure or leave a check open, each with the whole story of its shopper: what was due, what
 * was sent, what came back, and the analytics answers that its sessions belong to.
 */
export const recordsSection: Section = {
  id: 'records',
  title: 'Records of failures',
  make: async (input) => {
    const { history, judgement } = input;
    const carried = carriedRecords(judgement.checks);
    const stories = failuresFirst(await readStories(history, carried), judgement.checks);
    if (stories.length === 0) return undefined;
    const { rows } = await analyticsTable(history);
    const bound =
      carried.size === mostRecords &&
      t` The page has the first ${number(mostRecords)} of them; ${code('history/requests.csv')} has all.`;
    return [
      paragraph(
        t`The records that checks without a pass name as evidence, with every request of the same shopper or session.${bound}`,
      ),
      ...stories.map((story) => storyFigure(story, { ...input, carried, answers: rows })),
    ];
  },
};

interface StoryContext extends SectionInput {
  /** Records that are evidence. */
  readonly carried: ReadonlySet<number>;
  readonly answers: readonly AnalyticsAnswer[];
}
type AnalyticsAnswer = Awaited<ReturnType<typeof analyticsTable>>['rows'][number];

function storyFigure({ omitted, requests, shopper }: Story, around: StoryContext): ReportFigure {
  const named = requests.filter(({ seq }) => around.carried.has(seq));
  const seqs = new Set(named.map(({ seq }) => seq));
  const judged = around.judgement.checks.filter(
    ({ evidence, verdict }) =>
      verdict !== 'pass' && evidence.some((each) => each.seqs.some((seq) => seqs.has(seq))),
  );
  const [first] = named;
  const session = requests.find(({ session_id }) => session_id !== null)?.session_id;
  const who =
    shopper !== null
      ? `Shopper ${shopper}`
      : session != null
        ? t`Session ${code(session)}`
        : t`Request ${String(first?.seq)}: ${first?.endpoint}${first?.probe != null && t` ${foreign(first.probe)}`}`;
  const howMany =
    requests.length > 1 &&
    quiet(`${counted(requests.length, 'request')}, ${number(named.length)} of them evidence`);
  return {
    kind: 'details',
    look: 'story',
    summary: t`${who} ${howMany}`,
    body: [
      paragraph(
        t`Evidence of: ${joined(
          judged.map(({ id, title, verdict }) => t`${badge(verdict)} ${link(`#${id}`, prose(title))}`),
          '; ',
        )}`,
      ),
      requestTable(requests, around),
      ...(omitted > 0 ? [nothing(`and ${counted(omitted, 'more request')}, in history/requests.csv.`)] : []),
      ...requests
        .filter(({ body }) => body !== null)
        .map(({ body, endpoint, seq }) =>
          details(`Body of the answer to ${seq} (${endpoint})`, {
            kind: 'shell',
            lines: [body ?? ''],
          }),
        ),
      ...countsIn(requests, around.answers),
    ],
  };
}

function requestTable(requests: readonly StoryRequest[], { carried, history }: StoryContext): ReportFigure {
  const zeroMs = history.run.zero_epoch_ms;
  return table('Requests in the order of sending; those marked ● are evidence', requests, [
    [
      'seq',
      ({ seq }) =>
        carried.has(seq) ? { span: 'place', id: `record-${seq}`, text: `● ${seq}` } : String(seq),
      'number',
    ],
    ['Due', ({ intended_ns }) => instant(intended_ns), 'number'],
    [
      'Sent, and in UTC',
      ({ sent_ns }) => sent_ns !== null && lines(instant(sent_ns), utcMs(zeroMs + sent_ns / 1e6)),
      'number',
    ],
    [
      'Request',
      ({ credential, endpoint, phase, planned, probe, stage }) =>
        lines(
          t`${endpoint}${probe !== null && t` ${foreign(probe)}`}, key ${credential}`,
          quiet(t`${stage}: ${foreign(phase)}${planned !== null && `, planned as ${planned}`}`),
        ),
    ],
    [
      'Outcome',
      ({ outcome, service_ms }) =>
        lines(foreign(outcome), ...(service_ms === null ? [] : [quiet(`${milliseconds(service_ms)} ms`)])),
    ],
    ['Sent and returned', (request) => detailsOf(request, history)],
  ]);
}

/** What a request carried and what came back, each with its name; most requests have few of them. */
function detailsOf(request: StoryRequest, history: History): Text {
  const { count, endpoint, items, limit_headers, query, retry_after, seq } = request;
  const all: readonly (readonly [name: string, value: Text])[] = [
    ['session', request.session_id],
    ['product', request.product_id],
    ['catalog', request.catalog_id],
    ['query', endpoint === 'analytics' && query],
    ['items', items !== null && number(items)],
    ['events', request.events],
    ['count returned', count !== null && number(count)],
    ['Retry-After', retry_after],
    ['rate-limit headers', limit_headers],
    ['wrong in the answer', request.problem],
    ['trace', request.sent_ns !== null && traceOf(history, seq)],
  ];
  const known = all.flatMap(([name, value]) =>
    value === null || value === false || value === undefined
      ? []
      : [t`${quiet(name)} ${typeof value === 'string' ? foreign(value) : value}`],
  );
  return known.length > 0 && { span: 'items', parts: known };
}

/** Answers that a story links to. */
const mostLinks = 12;

/** Answers on the same key, sent after the session, for its product or for all products. */
function countsIn(requests: readonly StoryRequest[], answers: readonly AnalyticsAnswer[]): ReportFigure[] {
  const opened = requests.filter(
    ({ endpoint, outcome }) => endpoint === 'create-session' && outcome.startsWith('2'),
  );
  const own = answers.filter(({ query, seq }) =>
    opened.some(
      (session) =>
        session.seq < seq &&
        session.credential === query.credential &&
        (query.productId === null || query.productId === session.product_id),
    ),
  );
  const links = own.slice(0, mostLinks).map(({ query, seq }) => link(`#answer-${seq}`, foreign(query.label)));
  const more = own.length - mostLinks;
  return [
    ...(own.length === 0
      ? []
      : [
          paragraph(
            t`Analytics answers for its product, or for all products: ${joined(links, '; ')}${more > 0 && ` and ${counted(more, 'more answer')}`}.`,
          ),
        ]),
    ...requests
      .filter(({ seq }) => answers.some((answer) => answer.seq === seq))
      .map(({ seq }) => paragraph(link(`#answer-${seq}`, 'Expected and returned values of this answer'))),
  ];
}

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
type StoryRequest = z.output<typeof requestRow>;

/** All requests of a shopper, or of a session without a shopper, or a request that has neither. */
interface Story {
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
