import { counted, listed, noneOf, number, percent, range, span, verb } from '../../../amounts.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { type SteppedClock, steppedText } from '../words/clock.ts';
import { probedText, requestsText, requestText } from '../words/requests.ts';

/** A share as it was configured: exact. */
function share(of: number): string {
  return `${number(of * 100)} %`;
}

const lossNouns: Readonly<Record<string, readonly [string, string]>> = {
  timeout: ['timeout', 'timeouts'],
  reset: ['broken connection', 'broken connections'],
  protocol: ['answer that is not HTTP', 'answers that are not HTTP'],
  'too-long': [
    'answer over 64 KiB of head or 64 MiB of body',
    'answers over 64 KiB of head or 64 MiB of body',
  ],
  'no-connection': ['rejected connection', 'rejected connections'],
};

const notCounted: Readonly<Record<string, string>> = {
  'closed-idle': 'on an idle connection that the target had just closed. It was not safe to send them again.',
  'no-socket':
    'for which this machine had no port or file descriptor left. That is a limit of the generator.',
  'no-room': 'given up on by the generator, whose memory for the bodies under way was full.',
  'no-address': 'for which the name of the target was not resolved, or not in time.',
};

/** Why an unexpected 4xx may not be a fault of the target. */
const excuses = {
  'no-channel': 'the interface document shows no interaction channel, and none was found',
  'no-date-format':
    'the interface document does not show a format of dates, and every tried format was rejected',
  'end-date-search': 'the target takes no period that ends later than today, which the interface leaves open',
  'date-format-search': 'the run was still looking for the format of dates, and found one later',
} as const;
export type StatusExcuse = keyof typeof excuses;

/** Reasons of the checks of form, status and availability. */
export const answerReasons = {
  'more-of-these': 'Not listed: {more:count other} of this kind.',

  'answers-form-wrong':
    'Expected the promised form from {endpoint:request}, got a problem in {answers:count answer}: {problem:text}.',
  'answers-status-wrong': (params: { endpoint: string; status: number; answers: number }) =>
    `Expected 200 from ${requestText(params.endpoint)}, got ${params.status} in ${counted(params.answers, 'answer')}.`,
  'errors-of-other-type': ({
    endpoints,
    statuses,
  }: {
    endpoints: readonly string[];
    statuses: readonly number[];
  }) =>
    `Errors (${statuses.join(', ')}) from ${requestsText(endpoints)} do not have the media type of JSON. Nothing is promised of them.`,
  'answers-dates-apart':
    'Expected `Date` headers that advance with time, got headers that differ from it by {apartMs:span} more than clocks may.',
  'answers-clocks-differ': (ahead: { byMs: number; answers: number; of: number; endpoints: string[] }) =>
    `The \`Date\` of ${number(ahead.answers)} of ${counted(ahead.of, 'answer')} (${requestsText(ahead.endpoints)}) is at least ${span(ahead.byMs)} ahead of that of others.`,
  'answers-clock-stepped': (step: SteppedClock) => steppedText(step),
  'answers-unseen': ({ endpoints }: { endpoints: readonly string[] }) =>
    `The form is unknown without a 2xx answer from ${listed(endpoints.map(requestText), 5)}.`,
  'answers-as-promised': 'Status, fields and types were as promised in {answers:count answer} with 2xx.',

  'errors-status': ({ answers, endpoint, status }: { endpoint: string; status: number; answers: number }) =>
    `Expected ${endpoint === 'create-session' ? '2xx, 402 or 429' : '2xx or 429'} from ${requestText(endpoint)}, got ${status} in ${counted(answers, 'answer')}.`,
  'errors-5xx': ({ answers, bound, errors }: { errors: number; answers: number; bound: number }) =>
    `Of ${counted(answers, 'answer')} in all, ${number(errors)} (${percent(errors / Math.max(1, answers))}) ${verb(errors, 'is', 'are')} 5xx; the profile allows ${share(bound)} (\`server_errors\`).`,
  'errors-within': ({ answers, bound, errors }: { errors: number; answers: number; bound: number }) =>
    `Of ${counted(answers, 'answer')} in all, ${number(errors)} (${percent(errors / Math.max(1, answers))}) ${verb(errors, 'is', 'are')} 5xx by chance; the profile allows ${share(bound)} (\`server_errors\`). No other unexpected status came.`,
  'errors-bursts': ({ bursts }: { bursts: readonly { fromMs: number; toMs: number }[] }) =>
    `All 5xx came at ${listed(
      bursts.map(({ fromMs, toMs }) => range({ min: fromMs, max: toMs }, span)),
      2,
    )} of the run.`,
  'errors-excused': (params: { endpoint: string; status: number; answers: number; why: StatusExcuse }) =>
    `The status ${params.status} came in ${counted(params.answers, 'answer')} from ${requestText(params.endpoint)}. The target may not be at fault: ${excuses[params.why]}.`,
  'errors-no-answers': 'No ordinary request got an answer.',
  'errors-none': ({ answers, rejected }: { answers: number; rejected: number }) =>
    `No unexpected status was among ${counted(answers, 'answer')} to ordinary requests (not probes); ${noneOf(answers)}.${rejected === 0 ? '' : ` This leaves out ${counted(rejected, 'request')} that got 429.`}`,

  'errors-empty-periods':
    'Found, not promised: a period from a day to the same day gets {status} ({total:count request}), so end_date does not belong to it.',
  'errors-new-products':
    'Left out: {requests:count request} for analytics of a product that got 404 before its first session had to be there.',
  'sessions-visible-after': ({ afterMs, reads }: { afterMs: number; reads: number }) =>
    `Up to ${span(Math.ceil(afterMs))} after their creation, new sessions are not found: ${counted(reads, 'request')} got 404 or 410, and none later. The profile promises nothing (\`session_visible\`).`,

  'availability-silent': ({ kinds }: { kinds: readonly string[] }) =>
    `Expected an answer to every kind of request. Got none from ${listed(kinds.map(probedText), 2)}, each sent at least twice. Other requests were answered.`,
  'availability-nth':
    'Expected an answer to each request over a kept connection, got none to {requests}: each was number {nth} of its connection.',
  'availability-lost': (params: {
    requests: number;
    lost: number;
    kinds: readonly { kind: string; requests: number }[];
  }) =>
    `Of ${counted(params.requests, 'ordinary request')} (not probes), ${number(params.lost)} got no answer.${
      params.kinds.length === 0
        ? ''
        : ` The kinds of loss: ${params.kinds.slice(0, 4).map(lossText).join(', ')}.`
    }`,
  'availability-within': ({ bound, lost, requests }: { bound: number; requests: number; lost: number }) =>
    `The profile allows ${share(bound)} (\`lost_bound\`).${lost === 0 ? ` With ${counted(requests, 'request')}, ${noneOf(requests)}.` : ''}`,
  'availability-over': ({ bound, lost, requests }: { bound: number; requests: number; lost: number }) =>
    `Expected at most ${share(bound)} without an answer (\`lost_bound\`), got ${share(Number((lost / Math.max(1, requests)).toPrecision(4)))}.`,
  'errors-grow':
    'They grow with time at the same load: {before:percent} of the requests in the first third, {after:percent} in the last.',
  'availability-too-few': 'A share is not judged below {fewest:count request}.',
  'availability-no-requests': 'No ordinary request was sent.',
  'availability-not-counted': ({ kind, requests }: { kind: string; requests: number }) =>
    `Not counted: ${counted(requests, 'request')} ${notCounted[kind] ?? `(${kind})`}`,

  'reads-stale':
    'Expected a later read to show all events that an earlier one showed. In {sessions:count session}, {reads:count read} over one connection {reads:shows|show} what that showed before.',
  'reads-differ':
    'Expected a later read to show all events that an earlier one showed, unchanged. In {sessions:count session}, {reads:count read} {reads:does|do} not.',
  'expiry-past':
    'Expected `expires_at` in the future, got a time that had passed already in {sessions:count new session}.',
  'shade-count-no-session': 'No session was created on a catalog whose import had to show by then.',
  'shade-count-import-unclear':
    'An import got no clear answer, so the number of shades in catalog {catalog:text} is {imported:range}.',
  'auth-under-load-status': (params: {
    statuses: readonly (number | null)[];
    wrong: number;
    answers: number;
  }) =>
    `Expected 401 for an unknown key during overload, got ${params.statuses.slice(0, 4).join(' or ')} in ${number(params.wrong)} of ${counted(params.answers, 'answer')}.`,
  'auth-under-load-not-tried': 'No request with an unknown key was sent during the overload.',
  'auth-under-load-unclear':
    'During the overload, {requests:count request} with an unknown key got neither 401 nor what only a valid key should get.',
  'auth-under-load-401':
    'During the overload, {rejected} of {requests:count request} with an unknown key got 401, and none was accepted.',
  'count-wrong': (params: {
    of: 'sessions' | 'lists';
    catalog: string;
    answers: number;
    seen: Bounds;
    imported: Bounds;
  }) =>
    `Expected in catalog ${params.catalog} the imported number of shades, ${range(params.imported)}; got ${range(params.seen)} in ${counted(params.answers, params.of === 'lists' ? 'list' : 'new session')}.`,
  'count-right': ({ answers, of }: { of: 'sessions' | 'lists'; answers: number }) =>
    `The number of shades is the imported one in ${counted(answers, of === 'lists' ? 'list' : 'new session')}.`,
} as const;

function lossText({ kind, requests }: { readonly kind: string; readonly requests: number }): string {
  const [one, many] = lossNouns[kind] ?? [kind, kind];
  return counted(requests, one, many);
}

/** What became of a request: the status of its answer, or why it has none. `notSent: null`: there was no such request. */
export type Got =
  | { readonly status: number | null }
  | { readonly notSent: string | null }
  | { readonly lost: string };

/** Completes “The import …”. */
export function gotText(got: Got): string {
  if ('lost' in got) return `got no answer (${got.lost})`;
  if ('notSent' in got) return got.notSent === null ? 'was not sent' : `was not sent (${got.notSent})`;
  return got.status === null ? 'got no status' : `got ${got.status}`;
}
