import { counted, number, range, verb } from '../../../amounts.ts';
import type { Bounds } from '../../../vocabulary/bounds.ts';
import { about, type InQuery, ofAnswer } from './words.ts';

/** How many too few or too many, by the end of the range that is nearer. */
function missedBy(value: number, { max, min }: Bounds): string {
  const by = value < min ? min - value : value - max;
  return `${min === max ? '' : 'at least '}${number(Math.abs(by))} too ${value < min ? 'few' : 'many'}`;
}

/** Why a field of an answer is right, wrong, or neither. */
export const answerReasons = {
  'field-right': ({ answers }: { answers: number }) =>
    answers === 1
      ? 'The only answer has the expected value.'
      : `Each of ${counted(answers, 'answer')} has the expected value.`,
  'answers-shown': ({ answers, queries }: { answers: number; queries: number }) =>
    `The check judged ${counted(answers, 'answer')}. The table shows one answer for ${queries === 1 ? 'the only query' : `each of ${counted(queries, 'query', 'queries')}`}, a wrong one if there is any.`,
  'field-bounded': ({ events, sessions }: { sessions: number; events: number }) => {
    const unsure = [
      ...(sessions > 0 ? [counted(sessions, 'session')] : []),
      ...(events > 0 ? [counted(events, 'event')] : []),
    ].join(' and ');
    return `Whether ${unsure || 'every session'} happened is unknown, so each expected value is a range.`;
  },
  'no-sure-session': 'The run has no session that certainly exists, so nothing is expected of analytics.',
  'no-readable-answer': ({ queries }: { queries: number }) =>
    queries === 1
      ? 'The only analytics query got no readable 2xx answer.'
      : `None of ${counted(queries, 'analytics query', 'analytics queries')} got a readable 2xx answer.`,
  'analytics-not-queried': 'The run sent no analytics query.',
  'queries-unanswered': 'No readable 2xx answer came to {queries:count analytics query/analytics queries}.',
  'more-answers': ({ answers, verdict }: { answers: number; verdict: 'pass' | 'fail' | 'inconclusive' }) =>
    `The same field ${verdict === 'fail' ? 'is wrong' : 'cannot be judged'} in ${counted(answers, 'more answer', 'more answers')}.`,
  'fields-read-back': ({
    agree,
    readBack,
    sessions,
  }: {
    agree: number;
    readBack: number;
    sessions: number;
  }) =>
    readBack === 0
      ? 'No session was read back, so either storage or the analytics query is wrong.'
      : `Of ${counted(sessions, 'session')}, ${number(readBack)} ${verb(readBack, 'was', 'were')} read back, and ${agree < readBack ? `${number(agree)} of them ${verb(agree, 'is', 'are')}` : 'each of them is'} stored correctly.${agree < readBack ? '' : ' So the analytics query seems to be wrong.'}`,
  'answer-missing': ofAnswer('The field is missing or has another type.'),
  'answer-period': ofAnswer('Expected “{expected:text}”, got “{returned:text}”.'),
  'answer-value': ofAnswer('Expected {expected:range}, got {returned}.'),
  'answer-total': ({ expected, returned, ...of }: InQuery & { expected: Bounds; returned: number }) =>
    about(
      of,
      `Expected ${range(expected)}, got ${number(returned)}, which is ${missedBy(returned, expected)}.`,
    ),
  'answer-total-fraction': ofAnswer('Got {returned}, but a total is a whole number.'),
  'answer-unknowable': ofAnswer(
    'The sessions that the account held before the run make the value unknowable.',
  ),
  'answer-too-soon': ofAnswer(
    'The value differs, but was queried within {freshnessMs:span} of the last event (profile: analytics.freshness).',
  ),
  'answer-more-than-run': ofAnswer('The value is more than this run explains.'),
  'answer-dates-unreadable': ofAnswer('The dates of the query could not be read.'),
  'account-used-by-others': 'Others may use the account (profile: analytics.exclusive is false).',
  'account-not-read-before':
    'The account was not read before the run, so the sessions that it held then are unknown.',
  'account-period-unknown':
    'The account was not empty before the run, and its sessions in this period are unknown.',
  'account-held-sessions':
    'The account held {sessions:count session} before the run, and others may use it (profile: analytics.exclusive is false).',
  'no-events': 'No shopper selected a shade or showed a cart intent.',
  'no-events-sent': 'The run sent no event of a shopper.',
  'no-interaction-channel':
    'The target has no interaction channel, so {requests:count request} with events could not be sent.',
  'tokens-not-sendable':
    'No header can carry the tokens of the sessions, so {requests:count request} with events could not be sent.',
  'sessions-not-all-read':
    'Not every session was read back, so the events are not known from histories either.',
  'zeros-show-nothing': 'Zeros are right, but show nothing.',
} as const;
