import { counted, listed, noneOf, number, range, verb } from '../../../amounts.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { requestText } from '../../diagnosis/requests.ts';
import { wording } from '../wording.ts';
import { type Got, gotText } from './got.ts';

/** A share as it was configured: exact. */
function share(of: number): string {
  return `${number(of * 100)} %`;
}

const lossNouns: Readonly<Record<string, readonly [string, string]>> = {
  timeout: ['timeout', 'timeouts'],
  reset: ['broken connection', 'broken connections'],
  protocol: ['answer that is not HTTP', 'answers that are not HTTP'],
  'no-connection': ['rejected connection', 'rejected connections'],
};

/** Why an unexpected 4xx may not be a fault of the target. */
const excuses = {
  'no-channel': 'the interface document shows no interaction channel, and none was found',
  'no-date-format':
    'the interface document does not show a format of dates, and every tried format was rejected',
  'date-format-search': 'the run was still looking for the format of dates, and found one later',
} as const;
export type StatusExcuse = keyof typeof excuses;

/** Reasons of the checks of form, status, expiry and availability. */
export const answerReasons = {
  'more-of-these': wording(
    { more: 4 },
    ({ more }) => `There ${verb(more, 'is', 'are')} ${number(more)} more of this kind.`,
  ),
  'answer-problem': wording<{
    readonly endpoint: string;
    readonly status: number | null;
    readonly problem: string;
  }>(
    { endpoint: 'read-session', status: 200, problem: 'token: expected string, got number' },
    ({ endpoint, problem, status }) =>
      `The ${status} from ${requestText(endpoint)} does not have the promised form: ${problem}.`,
  ),

  'answers-form-wrong': wording(
    { endpoint: 'create-session', problem: 'token: expected string, got number', answers: 3 },
    ({ answers, endpoint, problem }) =>
      `Expected the promised form from ${requestText(endpoint)}, got a problem in ${counted(answers, 'answer')}: ${problem}.`,
  ),
  'answers-status-wrong': wording(
    { endpoint: 'create-session', status: 201, answers: 3 },
    ({ answers, endpoint, status }) =>
      `Expected 200 from ${requestText(endpoint)}, got ${status} in ${counted(answers, 'answer')}.`,
  ),
  'answers-unseen': wording<{ readonly endpoints: readonly string[] }>(
    { endpoints: ['analytics', 'list-shades'] },
    ({ endpoints }) =>
      `The form is unknown without a 2xx answer from ${listed(endpoints.map(requestText), 5)}.`,
  ),
  'answers-as-promised': wording(
    { answers: 3_871 },
    ({ answers }) => `Status, fields and types were as promised in ${counted(answers, '2xx answer')}.`,
  ),

  'errors-status': wording(
    { endpoint: 'create-session', status: 503, answers: 3 },
    ({ answers, endpoint, status }) =>
      `Expected ${endpoint === 'create-session' ? '2xx, 402 or 429' : '2xx or 429'} from ${requestText(endpoint)}, got ${status} in ${counted(answers, 'answer')}.`,
  ),
  'errors-5xx': wording(
    { errors: 3 },
    ({ errors }) => `The run saw ${counted(errors, 'server error')} (5xx) in all.`,
  ),
  'errors-excused': wording<{
    readonly endpoint: string;
    readonly status: number;
    readonly answers: number;
    readonly why: StatusExcuse;
  }>(
    { endpoint: 'analytics', status: 422, answers: 3, why: 'no-date-format' },
    ({ answers, endpoint, status, why }) =>
      `The status ${status} came in ${counted(answers, 'answer')} from ${requestText(endpoint)}. The target may not be at fault: ${excuses[why]}.`,
  ),
  'errors-no-answers': wording({}, () => 'No ordinary request got an answer.'),
  'errors-none': wording(
    { answers: 3_871 },
    ({ answers }) =>
      `No unexpected status was among ${counted(answers, 'answer')} to ordinary requests (not probes); ${noneOf(answers)}.`,
  ),

  'availability-lost': wording<{
    readonly requests: number;
    readonly lost: number;
    readonly kinds: readonly { readonly kind: string; readonly requests: number }[];
  }>(
    { requests: 100, lost: 2, kinds: [{ kind: 'timeout', requests: 2 }] },
    ({ kinds, lost, requests }) =>
      `Of ${counted(requests, 'ordinary request')} (not probes), ${number(lost)} got no answer.${
        kinds.length === 0 ? '' : ` The kinds of loss: ${kinds.slice(0, 4).map(lossText).join(', ')}.`
      }`,
  ),
  'availability-within': wording<{
    readonly bound: number;
    readonly requests: number;
    readonly lost: number;
  }>(
    { bound: 0.01, requests: 100, lost: 0 },
    ({ bound, lost, requests }) =>
      `The profile allows ${share(bound)} (\`lost_bound\`).${lost === 0 ? ` With ${counted(requests, 'request')}, ${noneOf(requests)}.` : ''}`,
  ),
  'availability-over': wording(
    { bound: 0.01, requests: 100, lost: 2 },
    ({ bound, lost, requests }) =>
      `Expected at most ${share(bound)} without an answer (\`lost_bound\`), got ${share(Number((lost / Math.max(1, requests)).toPrecision(4)))}.`,
  ),
  'availability-too-few': wording(
    { fewest: 20 },
    ({ fewest }) => `A share is not judged below ${counted(fewest, 'request')}.`,
  ),
  'availability-no-requests': wording({}, () => 'No ordinary request was sent.'),
  'availability-idle-closed': wording(
    { requests: 5 },
    ({ requests }) =>
      `Not counted: ${counted(requests, 'request')} on an idle connection that the target had just closed. It was not safe to send ${verb(requests, 'it', 'them')} again.`,
  ),

  'expiry-malformed': wording(
    { sessions: 3 },
    ({ sessions }) =>
      `Expected an ISO 8601 time in UTC as \`expires_at\`, got something else in ${counted(sessions, 'new session')}.`,
  ),
  'expiry-past': wording(
    { sessions: 3 },
    ({ sessions }) =>
      `Expected \`expires_at\` later than the answer, got an earlier time in ${counted(sessions, 'new session')}.`,
  ),
  'expiry-unseen': wording({}, () => 'No new session with a readable `expires_at` was seen.'),
  'expiry-future': wording(
    { sessions: 12 },
    ({ sessions }) =>
      `In ${counted(sessions, 'new session')}, \`expires_at\` is an ISO 8601 time in UTC and later than the answer.`,
  ),

  'canary-field-changed': wording(
    { field: 'locale', sent: 'de-DE', got: 'en-GB' },
    ({ field, got, sent }) =>
      `Expected \`${field}\` ${JSON.stringify(sent)} in the session that was read back, got ${JSON.stringify(got)}.`,
  ),
  'canary-unreadable': wording(
    { problem: 'locale: expected string, got number' },
    ({ problem }) => `The session that was read back does not have the promised form: ${problem}.`,
  ),
  'canary-status': wording<{ readonly endpoint: string; readonly status: number | null }>(
    { endpoint: 'read-session', status: 404 },
    ({ endpoint, status }) =>
      `Expected 2xx from ${requestText(endpoint)} for the new session, got ${status}.`,
  ),
  'canary-unclear': wording<{ readonly endpoint: string; readonly got: Got }>(
    { endpoint: 'read-session', got: { lost: 'timeout' } },
    ({ endpoint, got }) => `For the new session, the request ${requestText(endpoint)} ${gotText(got)}.`,
  ),
  'canary-read-back': wording(
    {},
    () => 'The session reads back with the values of its creation, as far as the answer shows them.',
  ),

  'not-found-status': wording<{
    readonly unknown: 'session' | 'catalog';
    readonly endpoint: string;
    readonly status: number | null;
  }>(
    { unknown: 'session', endpoint: 'read-session', status: 200 },
    ({ endpoint, status, unknown }) =>
      `Expected 404 for an unknown ${unknown} from ${requestText(endpoint)}, got ${status}.`,
  ),
  'not-found-unclear': wording<{
    readonly unknown: 'session' | 'catalog';
    readonly endpoint: string;
    readonly got: Got;
  }>(
    { unknown: 'catalog', endpoint: 'list-shades', got: { notSent: 'stopped' } },
    ({ endpoint, got, unknown }) =>
      `For an unknown ${unknown}, the request ${requestText(endpoint)} ${gotText(got)}.`,
  ),
  'not-found-404': wording({}, () => 'Each request for an unknown session or catalog got 404.'),

  'shade-count-wrong': wording<{
    readonly catalog: string;
    readonly sessions: number;
    readonly seen: Bounds;
    readonly imported: Bounds;
  }>(
    { catalog: 'c1', sessions: 3, seen: { min: 35, max: 36 }, imported: { min: 36, max: 36 } },
    ({ catalog, imported, seen, sessions }) =>
      `Expected \`shade_count\` ${range(imported)} in catalog ${catalog}, got ${range(seen)}; ${counted(sessions, 'session')} ${verb(sessions, 'is', 'are')} wrong.`,
  ),
  'shade-count-no-session': wording(
    {},
    () => 'No session was created on a catalog that the run had imported.',
  ),
  'shade-count-import-unclear': wording<{
    readonly catalog: string;
    readonly imported: Bounds;
  }>(
    { catalog: 'c1', imported: { min: 0, max: 2 } },
    ({ catalog, imported }) =>
      `An import got no clear answer, so the number of shades in catalog ${catalog} is ${range(imported)}.`,
  ),
  'shade-count-right': wording(
    { sessions: 12 },
    ({ sessions }) =>
      `In ${counted(sessions, 'new session')}, \`shade_count\` equals the number of imported shades.`,
  ),
} as const;

function lossText({ kind, requests }: { readonly kind: string; readonly requests: number }): string {
  const [one, many] = lossNouns[kind] ?? [kind, kind];
  return counted(requests, one, many);
}
