import { counted, listed, number, percent, range, seconds, span, times, verb } from '../../amounts.ts';
import { probedText, requestsText, requestText } from '../reasons/words/requests.ts';
import { type Trait, traitText } from '../reasons/words/traits.ts';
import { figures, relations, sums, wrongSums } from './explained.ts';
import { kind } from './kind.ts';

/** Valid requests fail at this many endpoints: the whole target fails. */
const everywhere = 3;

/** What is seen where requests, events or sessions with one value go wrong. */
const symptomsOfValue = {
  request: [],
  event: [
    'concurrent-interactions-lost',
    'repeated-selections-merged',
    'part-not-counted',
    'events-counted-until',
    ...wrongSums,
  ],
  session: wrongSums,
} as const;

/** Of what an outage with an outcome takes the place. */
const symptomsOfOutage: Readonly<Record<string, readonly string[]>> = {
  '401': ['valid-key-refused', 'unknown-id-answered'],
  '404': ['session-disappears'],
  '429': ['refused-below-limit', 'limiter-unknown', 'other-users-of-key'],
  lost: ['requests-unanswered', 'errors-grow'],
};

/** Causes in the form and the status of answers. */
export const answerCauses = {
  outage: kind<{
    /** The status that every request gets, or `lost`. */
    readonly outcome: string;
    /** Which requests: with this key, at this endpoint, on this number of connections; otherwise all. */
    readonly key?: string;
    readonly endpoint?: string;
    readonly connections?: number;
    readonly failed: number;
    /** The first of the spans. */
    readonly fromMs: number;
    readonly toMs: number;
    readonly spans: number;
    /** The last span lasts until the end of the run. */
    readonly lasts: boolean;
  }>({
    text: ({ connections, endpoint, failed, fromMs, key, lasts, outcome, spans, toMs }) => {
      const first = range({ min: fromMs, max: toMs }, seconds);
      const when =
        spans > 1
          ? `In ${number(spans)} spans of the run, the first from ${first},`
          : `From ${lasts ? seconds(fromMs) : first} of the run${lasts ? ' on' : ''},`;
      const which = [
        ...(endpoint === undefined ? [] : [`to ${requestText(endpoint)}`]),
        ...(key === undefined ? [] : [key === 'session' ? 'with a session token' : `with the ${key} key`]),
        ...(connections === undefined ? [] : [`on ${counted(connections, 'connection')}`]),
      ];
      const got = outcome === 'lost' ? 'no answer' : outcome;
      return `${when} every request ${which.map((each) => `${each} `).join('')}gets ${got}: ${number(failed)}.`;
    },
    behind:
      'A key that was revoked, a node or a store that is away, a deployment, or a job that blocks everything for a time.',
    explains: ['contract.errors', 'contract.availability', 'contract.catalog', 'contract.not-found'],
    about: ({ connections = 0, endpoint = '', key = '', outcome }) =>
      `${outcome} ${key} ${endpoint} ${connections}`,
    alsoCovers: ({ outcome = '' }) =>
      symptomsOfOutage[outcome] ?? (outcome >= '500' ? ['server-errors', 'errors-grow'] : []),
  }),
  'answers-unexplained': kind<{
    readonly endpoint: string;
    readonly kind: string;
    /** The field; of elements, how many of them. */
    readonly of: string;
    readonly expected: string;
    readonly got: string;
    readonly wrong: number;
    readonly answers: number;
    /** What all wrong ones have, and the percentage of right ones that have it. */
    readonly common?: string;
    readonly rightOnes?: number;
  }>({
    text: ({ answers, common, endpoint, expected, got, kind: what, of, rightOnes = 0, wrong }) => {
      const seen =
        {
          missing: `${verb(wrong, 'is', 'are')} incomplete (missing: ${of})`,
          extra: `${verb(wrong, 'shows', 'show')} further elements (${of})`,
          twice: `${verb(wrong, 'shows', 'show')} elements twice (${of})`,
          order: `${verb(wrong, 'shows', 'show')} events in no order that fits`,
          size: `${verb(wrong, 'shows', 'show')} another number of elements`,
          status: `${verb(wrong, 'has', 'have')} the status ${got}, not ${expected}`,
        }[what] ?? `${verb(wrong, 'has', 'have')} a wrong ${of}: ${got}, not ${expected}`;
      const others = rightOnes === 0 ? '' : ` (${number(rightOnes)} % of the others)`;
      const all = common === undefined ? '' : `, all of ${common}${others}`;
      return `Of ${counted(answers, 'answer')} of ${requestText(endpoint)}, ${number(wrong)} ${seen}${all}.`;
    },
    behind: 'A fault that no known one resembles: the requests and the values tell more.',
    explains: [],
  }),
  'answers-swapped': kind<{ readonly answers: number }>({
    text: ({ answers }) => `The answer to ${counted(answers, 'read')} is that of another session.`,
    behind: 'A variable that requests at the same time share, or a cache whose key lacks the id.',
    explains: ['contract.answers', 'contract.canary', 'contract.reads-agree', 'analytics.sessions'],
    covers: [
      'answers-malformed',
      'session-changed',
      'history-changes',
      'foreign-interactions',
      'interactions-lost',
    ],
  }),
  'answers-of-others-at-once': kind({
    text: 'A request gets the answer of another one that is sent at the same time.',
    behind:
      'Requests under way that are merged, or a cache, by a key that lacks a part of the query; or a buffer that requests share.',
    explains: [
      'contract.lists-agree',
      'contract.catalog',
      ...figures,
      ...relations,
      ...sums,
      'analytics.period',
      'analytics.stable',
    ],
    covers: [
      ...wrongSums,
      'answers-vary',
      'answers-mixed-up',
      'product-filter-ignored',
      'lists-differ',
      'foreign-shades',
      'shades-missing',
    ],
  }),
  'errors-as-successes': kind<{
    readonly answers: number;
    readonly of: number;
    readonly endpoints: readonly string[];
  }>({
    text: ({ answers, endpoints, of }) =>
      `The promised fields are missing from ${number(answers)} of ${counted(of, 'answer')} with 2xx at ${requestsText(endpoints)}, as from an error.`,
    behind: 'A handler that catches every error and answers 200 with it, also in place of 429.',
    explains: ['contract.answers', 'contract.expiry'],
    covers: [
      'answers-malformed',
      'limit-not-enforced',
      'limit-differs',
      'admits-over-limit',
      'quota-not-enforced',
    ],
  }),
  'errors-not-json': kind<{ readonly statuses: readonly number[]; readonly endpoints: readonly string[] }>({
    text: ({ endpoints, statuses }) =>
      `Errors (${statuses.join(', ')}) from ${requestsText(endpoints)} do not have the media type of JSON.`,
    behind: 'The error page of a framework, or of a gateway, which was left as it is.',
    explains: ['contract.answers'],
  }),
  'answers-malformed': kind<{ readonly endpoint: string; readonly problem: string }>({
    text: ({ endpoint, problem }) =>
      `Answers of ${requestText(endpoint)} do not have the promised form: ${problem}.`,
    behind: 'A serialiser or a schema of another version.',
    explains: ['contract.answers', 'contract.names', 'contract.canary', 'contract.catalog'],
    about: ({ endpoint }) => endpoint,
  }),
  'success-status-wrong': kind<{ readonly endpoint: string; readonly status: number }>({
    text: ({ endpoint, status }) => `${requestText(endpoint)} answers ${status} where 200 is promised.`,
    behind: 'The default status of a framework for a POST.',
    explains: ['contract.answers'],
    about: ({ endpoint }) => endpoint,
  }),
  'dates-apart': kind<{ readonly apartMs: number }>({
    text: ({ apartMs }) =>
      `The \`Date\` header does not advance with time: two answers contradict each other by ${span(apartMs)}.`,
    behind: 'A header that is made once and kept, or machines whose clocks are not synchronised.',
    explains: ['contract.answers'],
  }),
  'depends-on-connection': kind<{
    readonly failed: number;
    /**
     * `request`: whether it fails depends on its connection. `session`: whether it is known, on that and the one that opened
     * it. `event`: whether it shows, on that which carried it and that which reads.
     */
    readonly what: 'request' | 'session' | 'event';
    /** Connections on which something fails, or pairs of them, of how many. */
    readonly failing: number;
    readonly of: number;
  }>({
    text: ({ failed, failing, of, what }) => {
      switch (what) {
        case 'request':
          return `It depends on the connection whether a request fails: ${number(failed)} do, all requests on ${number(failing)} of ${counted(of, 'connection')}.`;
        case 'session':
          return `Whether a session is known depends on the connection: ${counted(failed, 'request')} ${verb(failed, 'fails', 'fail')}, none on that which opened it.`;
        case 'event':
          return `Whether an event shows depends on the connections that send and read it: ${counted(failed, 'event')} ${verb(failed, 'is', 'are')} missing.`;
      }
    },
    behind:
      'Processes that keep state in their own memory, behind a load balancer that distributes connections.',
    explains: [
      'contract.acts-again',
      'contract.acts-at-once',
      'contract.canary',
      'contract.errors',
      'contract.reads-agree',
      'analytics.sessions',
    ],
    covers: ['session-disappears', 'unexpected-status', 'server-errors', 'interactions-lost', 'errors-grow'],
  }),
  'depends-on-value': kind<{
    readonly what: 'request' | 'event' | 'session';
    readonly trait: Trait;
    readonly values: readonly string[];
    readonly failed: number;
    readonly others: number;
    /** Of events that are missing from an instant on: which of all events of the run is the first of them. */
    readonly first?: number;
  }>({
    text: ({ failed, first, others, trait, values, what }) =>
      what === 'session'
        ? `Sessions with ${traitText(trait, values)} do not count: ${number(failed)}, while ${counted(others, 'other')} ${verb(others, 'does', 'do')}.`
        : what === 'event'
          ? `Events with ${traitText(trait, values)} are missing: ${number(failed)}, and none of ${counted(others, 'other')}.${first === undefined ? '' : ` The first is number ${number(first)} of all events.`}`
          : `Requests with ${traitText(trait, values)} fail: ${number(failed)}, and none of ${counted(others, 'other')}.`,
    behind:
      'A rule or a bug that concerns one value: its length, its characters, a shard, or one customer’s settings.',
    explains: ['contract.errors', 'contract.acts-at-once', 'analytics.sessions', ...figures, ...relations],
    covers: ['session-disappears', 'unexpected-status', 'server-errors', 'interactions-lost'],
    about: ({ trait, what }) => `${what} ${trait}`,
    alsoCovers: ({ what }) => (what === undefined ? [] : symptomsOfValue[what]) ?? [],
  }),
  'unexpected-status': kind<{
    readonly endpoint: string;
    readonly status: number;
    readonly requests: number;
  }>({
    text: ({ endpoint, requests, status }) =>
      `The answer to ${counted(requests, 'valid request')} at ${requestText(endpoint)} is ${status}.`,
    behind:
      'A validation that is stricter than the interface, a route that is missing, or a target that wants requests in another form (docs/adapt.md).',
    explains: ['contract.errors'],
    about: ({ endpoint, status }) => `${endpoint} ${status}`,
  }),
  'server-errors': kind<{
    readonly errors: number;
    readonly of: number;
    readonly endpoints: readonly string[];
  }>({
    text: ({ endpoints, errors, of }) =>
      `The target answers ${number(errors)} of ${counted(of, 'request')} (${percent(errors / Math.max(1, of))}) with 5xx at ${requestsText(endpoints)}.`,
    behind: 'An exception that nothing handles, or a pool of connections that runs empty.',
    explains: ['contract.errors', 'contract.answers'],
    // The target fails everywhere, so that malformed requests fail says nothing about validation.
    alsoCovers: ({ endpoints = [] }) => (endpoints.length >= everywhere ? ['malformed-request-fails'] : []),
  }),
  'errors-grow': kind<{ readonly before: number; readonly after: number }>({
    text: ({ after, before }) =>
      `More requests fail with time at the same load: ${percent(before)} in the first third, ${percent(after)} in the last.`,
    behind: 'Something that is not given back: connections, file handles, memory or locks.',
    explains: ['contract.errors', 'contract.availability'],
    covers: ['server-errors', 'requests-unanswered'],
  }),
  'description-differs': kind<{ readonly operation: string; readonly contradictions: number }>({
    text: ({ contradictions, operation }) =>
      `${operation} differs from its OpenAPI description in ${counted(contradictions, 'way')}.`,
    behind: 'A service that was changed without its description, or a description of another version.',
    explains: ['contract.openapi'],
    about: ({ operation }) => operation,
  }),
  'requests-unanswered': kind<{
    readonly requests: number;
    readonly of: number;
    readonly how: readonly string[];
    /** Those without an answer, where they are all requests of some kinds. */
    readonly kinds?: readonly string[];
  }>({
    text: ({ how, kinds = [], of, requests }) =>
      `No answer came to ${number(requests)} of ${counted(of, 'request')}${kinds.length === 0 ? '' : ` to ${listed(kinds.map(probedText), 2)}`}: ${listed(how, 3)}.`,
    behind: 'A process that stops or restarts, or a queue in front of it that is full.',
    explains: ['contract.availability', 'contract.malformed-requests'],
  }),
  'nth-request-dropped': kind<{ readonly nth: number; readonly requests: number }>({
    text: ({ nth, requests }) =>
      `Request number ${number(nth)} of a connection gets no answer: the connection is closed, ${times(requests)}.`,
    behind:
      'A server or proxy that closes a connection after a number of requests, and does not say so before (`Connection: close`).',
    explains: ['contract.availability'],
    covers: ['requests-unanswered', 'interactions-lost'],
  }),
} as const;
