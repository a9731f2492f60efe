import { counted, milliseconds, number } from '../../amounts.ts';
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
import {
  carriedRecords,
  failuresFirst,
  mostRecords,
  readStories,
  type Story,
  type StoryRequest,
} from './stories.ts';

/**
 * The records that show a failure or leave a check open, each with the whole story of its shopper: what was due, what
 * was sent, and what came back.
 */
export const recordsSection: Section = {
  id: 'records',
  title: 'Records of failures',
  about: [],
  make: async (input) => {
    const { history, judgement } = input;
    const carried = carriedRecords(judgement.checks);
    const stories = failuresFirst(await readStories(history, carried), judgement.checks);
    if (stories.length === 0) return undefined;
    const bound =
      carried.size === mostRecords &&
      t` The page has the first ${number(mostRecords)} of them; ${code('history/requests.csv')} has all.`;
    return [
      paragraph(
        t`The records that checks without a pass name as evidence, with every request of the same shopper or session.${bound}`,
      ),
      ...stories.map((story) => storyFigure(story, { ...input, carried })),
    ];
  },
};

interface StoryContext extends SectionInput {
  /** Records that are evidence. */
  readonly carried: ReadonlySet<number>;
}

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
