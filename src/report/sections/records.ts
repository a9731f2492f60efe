import { counted, milliseconds, number } from '../../amounts.ts';
import { analyticsTable } from '../../checks/analytics/compare/table.ts';
import type { CheckResult } from '../../checks/core/verdict.ts';
import { instant, utcMs } from '../format.ts';
import { code, foreign, Html, html, prose } from '../markup.ts';
import { type Section, type SectionBody, type SectionInput, table } from '../section.ts';
import {
  carriedRecords,
  failuresFirst,
  mostRecords,
  readStories,
  type Story,
  type StoryRequest,
} from '../stories.ts';
import { type Traced, traceOf } from '../trace-link.ts';
import { verdictBadge } from './verdict-badge.ts';

/**
 * The records that show a failure or leave a check open, each with the whole story of its shopper: what was due, what
 * was sent, what came back, and the analytics answers that its sessions belong to.
 */
export const recordsSection: Section = { id: 'records', title: 'Records of failures', make };

type AnalyticsAnswer = Awaited<ReturnType<typeof analyticsTable>>['rows'][number];

async function make({ history, judgement }: SectionInput): Promise<SectionBody | undefined> {
  const carried = carriedRecords(judgement.checks);
  const stories = failuresFirst(await readStories(history, carried), judgement.checks);
  if (stories.length === 0) return undefined;
  const { rows: answers } = await analyticsTable(history);
  const zeroMs = history.run.zero_epoch_ms;
  return {
    body: html`<p>The records that checks without a pass name as evidence, with every request of the same shopper or session.${carried.size === mostRecords && ` The page has the first ${number(mostRecords)} of them; <code>history/requests.csv</code> has all.`}</p>
${stories.map((story) => storyBlock(story, { carried, zeroMs, answers, checks: judgement.checks, history }))}`,
  };
}

interface RecordsContext {
  readonly carried: ReadonlySet<number>;
  readonly zeroMs: number;
  readonly answers: readonly AnalyticsAnswer[];
  readonly checks: readonly CheckResult[];
  readonly history: Traced;
}

function storyBlock({ omitted, requests, shopper }: Story, around: RecordsContext): Html {
  const named = requests.filter(({ seq }) => around.carried.has(seq));
  const seqs = new Set(named.map(({ seq }) => seq));
  const judged = around.checks.filter(
    ({ evidence, verdict }) =>
      verdict !== 'pass' && evidence.some((each) => each.seqs.some((seq) => seqs.has(seq))),
  );
  const [first] = named;
  const session = requests.find(({ session_id }) => session_id !== null)?.session_id;
  const who =
    shopper !== null
      ? html`Shopper ${String(shopper)}`
      : session != null
        ? html`Session ${code(session)}`
        : html`Request ${String(first?.seq)}: ${first?.endpoint}${first?.probe && html` ${foreign(first.probe)}`}`;
  return html`<details class="story"><summary>${who} <span class="count">${requests.length > 1 && `${counted(requests.length, 'request')}, ${number(named.length)} of them evidence`}</span></summary>
<p>Evidence of: ${judged.map(({ id, title, verdict }, at) => html`${at > 0 && '; '}${verdictBadge(verdict)} <a href="#${id}">${prose(title)}</a>`)}</p>
${requestTable(requests, around)}
${omitted > 0 && html`<p class="none">… and ${counted(omitted, 'more request')}, in history/requests.csv.</p>`}
${requests.map((request) => answerBody(request))}
${countsIn(requests, around.answers)}
</details>`;
}

function requestTable(requests: readonly StoryRequest[], { carried, history, zeroMs }: RecordsContext): Html {
  return table('Requests in the order of sending; those marked ● are evidence', requests, [
    [
      'seq',
      ({ seq }) =>
        carried.has(seq)
          ? html`<span id="record-${String(seq)}" class="record">● ${String(seq)}</span>`
          : String(seq),
      'number',
    ],
    ['Due', ({ intended_ns }) => instant(intended_ns), 'number'],
    [
      'Sent, and in UTC',
      ({ sent_ns }) => sent_ns !== null && html`${instant(sent_ns)}<br>${utcMs(zeroMs + sent_ns / 1e6)}`,
      'number',
    ],
    [
      'Request',
      ({ credential, endpoint, phase, planned, probe, stage }) =>
        html`${endpoint}${probe && html` ${foreign(probe)}`}, key ${credential}<br><span class="none">${stage}: ${foreign(phase)}${planned !== null && `, planned as ${planned}`}</span>`,
    ],
    [
      'Outcome',
      ({ outcome, service_ms }) =>
        html`${foreign(outcome)}${service_ms !== null && html`<br><span class="none">${milliseconds(service_ms)} ms</span>`}`,
    ],
    ['Sent and returned', (request) => detailList(request, history)],
  ]);
}

/** What a request carried and what came back, each with its name; most requests have few of them. */
function detailList(request: StoryRequest, history: Traced): Html | false {
  const { count, events, items, limit_headers, problem, query, retry_after } = request;
  const known = (
    [
      ['session', request.session_id],
      ['product', request.product_id],
      ['catalog', request.catalog_id],
      ['query', request.endpoint === 'analytics' ? query : null],
      ['items', items],
      ['events', events],
      ['count returned', count],
      ['Retry-After', retry_after],
      ['rate-limit headers', limit_headers],
      ['wrong in the answer', problem],
      ['trace', request.sent_ns === null ? null : (traceOf(history, request.seq) ?? null)],
    ] as const
  ).filter(([, value]) => value !== null);
  return (
    known.length > 0 &&
    html`<ul class="details">${known.map(([name, value]) => html`<li><span class="none">${name}</span> ${shown(value)}</li>`)}</ul>`
  );
}

function shown(value: string | number | Html | null): Html | string {
  if (typeof value === 'number') return number(value);
  return value instanceof Html ? value : foreign(String(value));
}

function answerBody({ body, endpoint, seq }: StoryRequest): Html | false {
  return (
    body !== null &&
    html`<details><summary>Body of the answer to ${String(seq)} (${endpoint})</summary><pre><code>${foreign(body)}</code></pre></details>`
  );
}

/** Answers that a story links to. */
const mostLinks = 12;

/** Answers on the same key, sent after the session, for its product or for all products. */
function countsIn(requests: readonly StoryRequest[], answers: readonly AnalyticsAnswer[]): Html | false {
  const opened = requests.filter(
    ({ endpoint, outcome }) => endpoint === 'create-session' && /^2/.test(outcome),
  );
  const own = answers.filter(({ query, seq }) =>
    opened.some(
      (session) =>
        session.seq < seq &&
        session.credential === query.credential &&
        (query.productId === null || query.productId === session.product_id),
    ),
  );
  const answered = requests.filter(({ seq }) => answers.some((answer) => answer.seq === seq));
  return html`${
    own.length > 0 &&
    html`<p>Analytics answers for its product, or for all products: ${own.slice(0, mostLinks).map(({ query, seq }, at) => html`${at > 0 && '; '}<a href="#answer-${String(seq)}">${foreign(query.label)}</a>`)}${own.length > mostLinks && ` and ${counted(own.length - mostLinks, 'more answer')}`}.</p>`
  }${answered.map(({ seq }) => html`<p><a href="#answer-${String(seq)}">Expected and returned values of this answer</a></p>`)}`;
}
