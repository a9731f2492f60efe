import { counted, number, range, span, verb } from '../../../amounts.ts';
import type { Bounds, Interval } from '../../../vocabulary/bounds.ts';
import type { Coarser, Deviation, LossPlace, Measure } from '../../analytics/vocabulary.ts';
import { wording } from '../wording.ts';
import { about, deviationParts, deviationText, either, type InQuery, measureWords } from './words.ts';

const query = 'all products';
export const exclusiveEnd: Deviation = { end: 'exclusive', day: null, account: null, zone: null };

const placeWords: Readonly<Record<LossPlace, (values: string) => string>> = {
  write: (values) => `Storage made ${values} wrong: GET /sessions/{id} shows the same as analytics.`,
  history: (values) =>
    `For ${values}, only GET /sessions/{id} lacks something: analytics agree with the run.`,
  aggregation: (values) =>
    `The analytics query made ${values} wrong: GET /sessions/{id} agrees with the run.`,
  unlocated: (values) =>
    `Either storage or the analytics query made ${values} wrong; the run does not show which.`,
};

function coarserText(ways: readonly Coarser[]): string {
  const places = (how: Coarser['how']): string =>
    either(
      ways
        .filter((way) => way.how === how)
        .map(({ decimals }) => (decimals === 0 ? 'a whole number' : counted(decimals, 'decimal'))),
      2,
    );
  const [rounded, cut] = [places('rounded'), places('cut')];
  return [
    ...(rounded === '' ? [] : [`rounded to ${rounded}`]),
    ...(cut === '' ? [] : [`cut off to ${cut}`]),
  ].join(', or ');
}

/** How many too few or too many, by the end of the range that is nearer. */
function missedBy(value: number, { max, min }: Bounds): string {
  const by = value < min ? min - value : value - max;
  return `${min === max ? '' : 'at least '}${number(Math.abs(by))} too ${value < min ? 'few' : 'many'}`;
}

/** How many of the sessions read back are stored as they were created. */
function storedText(agree: number, readBack: number): string {
  if (readBack === 0) return '';
  if (agree < readBack) return `, and ${number(agree)} of them ${verb(agree, 'is', 'are')} stored correctly`;
  return `, and ${verb(readBack, 'it is', 'all of them are')} stored correctly`;
}

/** Why a field of an answer is right, wrong, or neither. */
export const answerReasons = {
  'field-right': wording({ answers: 14 }, ({ answers }) =>
    answers === 1
      ? 'The only answer has the expected value.'
      : `Each of ${counted(answers, 'answer')} has the expected value.`,
  ),
  'answers-shown': wording(
    { answers: 14, queries: 10 },
    ({ answers, queries }) =>
      `Of ${counted(answers, 'answer')} to ${counted(queries, 'query', 'queries')}, one for each query is shown: a wrong one, if there is one.`,
  ),
  'field-bounded': wording({ sessions: 3, events: 4 }, ({ events, sessions }) => {
    const unsure = [
      ...(sessions > 0 ? [counted(sessions, 'session')] : []),
      ...(events > 0 ? [counted(events, 'event')] : []),
    ].join(' and ');
    return `Whether ${unsure || 'every session'} happened is unknown, so each expected value is a range.`;
  }),
  'no-sure-session': wording(
    {},
    () => 'The run has no session that certainly exists, so nothing is expected of analytics.',
  ),
  'no-readable-answer': wording({ queries: 3 }, ({ queries }) =>
    queries === 1
      ? 'The only analytics query got no readable 2xx answer.'
      : `None of ${counted(queries, 'analytics query', 'analytics queries')} got a readable 2xx answer.`,
  ),
  'analytics-not-queried': wording({}, () => 'The run sent no analytics query.'),
  'queries-unanswered': wording(
    { queries: 2 },
    ({ queries }) =>
      `No readable 2xx answer came to ${counted(queries, 'analytics query', 'analytics queries')}.`,
  ),
  'more-answers': wording<{ answers: number; verdict: 'pass' | 'fail' | 'inconclusive' }>(
    { answers: 5, verdict: 'fail' },
    ({ answers, verdict }) =>
      `The same field ${verdict === 'fail' ? 'is wrong' : 'cannot be judged'} in ${counted(answers, 'more answer', 'more answers')}.`,
  ),
  'loss-located': wording<{ place: LossPlace; values: number }>(
    { place: 'write', values: 3 },
    ({ place, values }) => placeWords[place](counted(values, 'value')),
  ),
  'loss-sample': wording(
    { readBack: 2, sessions: 5, agree: 2 },
    ({ agree, readBack, sessions }) =>
      `Of ${counted(sessions, 'session')}, ${number(readBack)} ${verb(readBack, 'was', 'were')} read back${storedText(agree, readBack)}.`,
  ),
  'answer-missing': wording<InQuery>({ query }, (of) =>
    about(of, 'The field is missing or has another type.'),
  ),
  'answer-period': wording<InQuery & { expected: string; returned: string }>(
    { query, expected: '2026-01-01 / 2026-01-02', returned: '2026-01-01/2026-01-02' },
    ({ expected, returned, ...of }) => about(of, `Expected “${expected}”, got “${returned}”.`),
  ),
  'answer-value': wording<InQuery & { expected: Interval; returned: number; decimals: number | null }>(
    { query, expected: { min: 1.571429, max: 1.6 }, returned: 1.58, decimals: 4 },
    ({ decimals, expected, returned, ...of }) =>
      about(
        of,
        `Expected ${range(expected)}${decimals === null ? '' : ` (${counted(decimals, 'decimal')})`}, got ${number(returned)}.`,
      ),
  ),
  'answer-unexplained': wording<InQuery & { returned: number }>(
    { query, returned: 1.58 },
    ({ returned, ...of }) => about(of, `Got ${number(returned)}, which cannot be right.`),
  ),
  'answer-total': wording<InQuery & { expected: Bounds; returned: number }>(
    { query, expected: { min: 12, max: 14 }, returned: 11 },
    ({ expected, returned, ...of }) =>
      about(
        of,
        `Expected ${range(expected)}, got ${number(returned)}, which is ${missedBy(returned, expected)}.`,
      ),
  ),
  'answer-total-fraction': wording<InQuery & { returned: number }>(
    { query, returned: 10.5 },
    ({ returned, ...of }) => about(of, `Got ${number(returned)}, but a total is a whole number.`),
  ),
  'answer-without-bounced': wording(
    {},
    () => 'The value is the number of sessions with at least one shade, but the others count, too.',
  ),
  'answer-percentage': wording<InQuery & { expected: Interval; returned: number }>(
    { query, expected: { min: 0.36, max: 0.36 }, returned: 36 },
    ({ expected, returned, ...of }) =>
      about(of, `Expected the fraction ${range(expected)}, got the percentage ${number(returned)}.`),
  ),
  'answer-coarser': wording<{ ways: readonly Coarser[] }>(
    { ways: [{ how: 'rounded', decimals: 1 }] },
    ({ ways }) =>
      `The value is the expected one, ${coarserText(ways)}.${ways.some(({ decimals, how }) => how === 'cut' && decimals === 0) ? ' An integer division cuts off like that.' : ''}`,
  ),
  'answer-is-measure': wording<{ measure: Measure }>(
    { measure: 'copies/with-shades' },
    ({ measure }) => `The value equals ${measureWords[measure]}.`,
  ),
  'answer-is-for-all-products': wording({}, () => 'The value equals the number for all products.'),
  'answer-fits-otherwise': wording<{ deviations: readonly Deviation[] }>(
    { deviations: [exclusiveEnd] },
    ({ deviations }) => `The value fits ${either(deviations.map(deviationText))}.`,
  ),
  'answer-due-measure': wording<{ by: 'profile' | 'answers'; measure: Measure }>(
    { by: 'profile', measure: 'distinct/all' },
    ({ by, measure }) =>
      `${by === 'profile' ? 'By the profile, it has to be' : 'The other answers fit'} ${measureWords[measure]}.`,
  ),
  'answer-due-conventions': wording<{ by: 'profile' | 'answers'; deviations: readonly Deviation[] }>(
    { by: 'profile', deviations: [{ ...exclusiveEnd, day: 'creation' }] },
    ({ by, deviations }) =>
      `${by === 'profile' ? 'The profile says' : 'The other answers fit'} ${deviationParts(deviations)}.`,
  ),
  'interaction-id-once': wording({}, () => 'An event id counts once.'),
  'product-not-applied': wording({}, () => 'The answer does not apply product_id.'),
  'answer-unknowable': wording<InQuery>({ query }, (of) =>
    about(of, 'The sessions that the account held before the run make the value unknowable.'),
  ),
  'answer-too-soon': wording<InQuery & { freshnessMs: number }>(
    { query, freshnessMs: 10_000 },
    ({ freshnessMs, ...of }) =>
      about(
        of,
        `The value differs, but was queried within ${span(freshnessMs)} of the last event (profile: analytics.freshness).`,
      ),
  ),
  'answer-more-than-run': wording<InQuery>({ query }, (of) =>
    about(of, 'The value is more than this run explains.'),
  ),
  'answer-dates-unreadable': wording<InQuery>({ query }, (of) =>
    about(of, 'The dates of the query could not be read.'),
  ),
  'account-used-by-others': wording(
    {},
    () => 'Others may use the account (profile: analytics.exclusive is false).',
  ),
  'account-not-read-before': wording(
    {},
    () => 'The account was not read before the run, so the sessions that it held then are unknown.',
  ),
  'account-period-unknown': wording(
    {},
    () => 'The account was not empty before the run, and its sessions in this period are unknown.',
  ),
  'account-held-sessions': wording(
    { sessions: 4 },
    ({ sessions }) =>
      `The account held ${counted(sessions, 'session')} before the run, and others may use it (profile: analytics.exclusive is false).`,
  ),
  'no-events': wording({}, () => 'No shopper selected a shade or showed a cart intent.'),
  'no-events-sent': wording({}, () => 'The run sent no event of a shopper.'),
  'no-interaction-channel': wording(
    { requests: 2 },
    ({ requests }) =>
      `The target has no interaction channel, so ${counted(requests, 'request')} with events could not be sent.`,
  ),
  'sessions-not-all-read': wording(
    {},
    () => 'Not every session was read back, so the events are not known from histories either.',
  ),
  'zeros-show-nothing': wording({}, () => 'Zeros are right, but show nothing.'),
} as const;
