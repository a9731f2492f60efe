import { counted, number, range, span, verb } from '../../amounts.ts';
import type { Bounds } from '../../vocabulary/bounds.ts';

/** What a request asked of analytics. Null: that parameter was not sent. */
export type AskedPeriod = {
  readonly product: string | null;
  readonly from: string | null;
  readonly to: string | null;
};

/** `all products, 2026-05-01 / 2026-05-31`. */
export function askedText({ from, product, to }: AskedPeriod): string {
  const dates = [from, to].map((date) => (date === null ? 'none' : date === '' ? '""' : date));
  return `${product ?? 'all products'}, ${dates.join(' / ')}`;
}

/** `3 sessions`, `1 session`, `2 to 5 sessions`. */
function sessionsText({ max, min }: Bounds): string {
  return `${range({ min, max })} ${min === 1 && max === 1 ? 'session' : 'sessions'}`;
}

type Empty = { asked: AskedPeriod; average: number; rate: number; shades: number };

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export type FieldChange = {
  readonly field: string;
  readonly before: number | string;
  readonly after: number | string;
};

function valueText(value: number | string): string {
  return typeof value === 'number' ? number(value) : JSON.stringify(value);
}

/** Reasons of the analytics audit. */
export const auditReasons = {
  'audit-averages-pass': ({ comparisons, excluded }: { comparisons: number; excluded: string[] }) =>
    `Averages and rates of parts combine to those of the whole in ${counted(comparisons, 'comparison')}.${
      excluded.length === 0
        ? ' Each lies between the values of its parts.'
        : ` A mean that is not weighted by sessions is excluded for ${excluded.join(' and ')}.`
    }`,
  'audit-averages-moved': 'No period with sessions stayed the same long enough to compare averages.',
  'audit-averages-unknown-products': ({ rest, sessions }: { rest: Bounds; sessions: Bounds }) =>
    `Of ${sessionsText(sessions)}, ${range(rest)} may be of products that are not in the profile (analytics.products). The weights of averages cannot be seen.`,
  'audit-averages-one-part':
    'All sessions are in one part of each period and of one product, or averages are equal. The weights of averages cannot be seen.',
  'audit-averages-broken': (params: {
    asked: AskedPeriod;
    field: string;
    got: Bounds;
    expected: Bounds;
    parts: { mean: Bounds; sessions: Bounds }[];
  }) =>
    `Expected ${params.field} of ${range(params.expected)} for ${askedText(params.asked)}, got ${range(params.got)}.${
      params.parts.length === 0
        ? ''
        : ` ${params.parts.length === 1 ? 'Its only part has' : 'Its first parts have'} ${params.parts
            .slice(0, 4)
            .map(({ mean, sessions }) => `${range(mean)} over ${sessionsText(sessions)}`)
            .join(', ')}.`
    }`,
  'audit-averages-no-fraction': (params: {
    asked: AskedPeriod;
    field: string;
    got: number;
    sessions: number;
  }) =>
    `For ${askedText(params.asked)}, ${params.field} is ${number(params.got)}. No mean over ${counted(params.sessions, 'session')} has that value.`,
  'audit-dates-not-asked': 'No such request was answered.',
  'audit-dates-status': ({ asked, status }: { asked: AskedPeriod; status: number }) =>
    `Expected 2xx or 4xx for ${askedText(asked)}, got ${status}.`,
  'audit-empty-pass': ({ ago, ahead }: { ahead: boolean; ago: boolean }) =>
    `Periods ${ahead && ago ? 'far in the future and in the past' : ahead ? 'far in the future' : 'far in the past'} are empty, or get 4xx.`,
  'audit-empty-old-sessions': ({ asked, sessions }: { asked: AskedPeriod; sessions: number }) =>
    `Expected no session for ${askedText(asked)}, got ${counted(sessions, 'session')}. The account may be that old.`,
  'audit-empty-sessions': (params: { asked: AskedPeriod; sessions: number; isAll: boolean }) =>
    `Expected no session for ${askedText(params.asked)}, got ${counted(params.sessions, 'session')}.${
      params.isAll ? ' No period has more, so the dates are not applied.' : ''
    }`,
  'audit-empty-not-zero': ({ asked, average, rate, shades }: Empty) =>
    `${upper(askedText(asked))} has no session. Expected zeros, got an average of ${number(average)}, a rate of ${number(rate)} and ${counted(shades, 'top shade')}.`,
  'audit-reversed-pass': 'A period that ends before it starts is empty, or gets 4xx.',
  'audit-reversed-sessions': ({ asked, sessions }: { asked: AskedPeriod; sessions: number | null }) =>
    `Expected 4xx or no session for ${askedText(asked)}, got ${
      sessions === null ? '2xx without a readable number of sessions' : counted(sessions, 'session')
    }. The service may swap the dates.`,
  'audit-malformed-pass':
    'No 5xx came in {dates:count request} with invalid dates or with dates in another form.',
  'audit-malformed-accepted': ({ asked, status }: { asked: AskedPeriod; status: number | null }) =>
    `Expected 4xx for ${askedText(asked)}, got ${status ?? 'no answer'}.`,
  'audit-malformed-apart': (params: { asked: AskedPeriod; word: string; status: number | null }) =>
    `Expected 4xx for ${askedText(params.asked)}, got 200. At the other end of a period, ${JSON.stringify(params.word)} gets ${params.status}.`,
  'audit-period-pass': 'In {periods:count answer}, `period` repeats the requested dates.',
  'audit-period-none': 'No request got a readable answer.',
  'audit-period-wrong': ({ asked, expected, got }: { asked: AskedPeriod; got: string; expected: string }) =>
    `For ${askedText(asked)}, expected the period ${JSON.stringify(expected)}, got ${JSON.stringify(got)}.`,
  'audit-adjacent-pass': ({ end, periods }: { periods: number; end: 'inclusive' | 'exclusive' | null }) =>
    `In ${counted(periods, 'period')} with sessions, the two parts together have exactly the sessions of the whole.${
      end === null ? '' : ` End dates are ${end}.`
    }`,
  'audit-adjacent-none': 'No period was answered both as a whole and in two parts.',
  'audit-adjacent-empty': 'No period has a session, so the sums show nothing.',
  'audit-sum-broken': (params: {
    sku: string | null;
    whole: AskedPeriod;
    total: Bounds;
    parts: { asked: AskedPeriod; count: Bounds }[];
    sum: Bounds;
    isExact: boolean;
    maybeEachDay: boolean;
  }) => {
    const { isExact, maybeEachDay, parts, sku, sum, total, whole } = params;
    const counts = (count: Bounds): string =>
      sku === null
        ? sessionsText(count)
        : `${range(count)} ${count.max === 1 ? 'selection' : 'selections'} of ${sku}`;
    const [only, ...others] = parts;
    const held =
      only !== undefined && others.length === 0
        ? `${upper(askedText(only.asked))} has ${counts(sum)}.`
        : [
            `Together, ${counted(parts.length, 'part')} ${verb(parts.length, 'has', 'have')} ${counts(sum)}.`,
            ...parts.slice(0, 2).map(({ asked, count }) => `${upper(askedText(asked))} has ${range(count)}.`),
          ].join(' ');
    return `${held} Expected ${isExact ? 'exactly' : 'at least'} that for ${askedText(whole)}, got ${range(total)}.${
      maybeEachDay
        ? ' That is right if a session counts on each day with events (profile: analytics.session_day).'
        : ''
    }`;
  },
  'audit-adjacent-other-end':
    'Everything adds up if end dates are {fitting:text}, but the profile says {told:text} (analytics.end_date).',
  'audit-widening-pass':
    'In {periods:count comparison}, no period has fewer sessions than a period within it.',
  'audit-widening-none': 'No period with sessions was answered together with a period within it.',
  'audit-filter-pass':
    'No product has more sessions than all products, and a product without sessions has none.',
  'audit-filter-none': 'No product was answered together with all products.',
  'audit-unknown-product-not-empty': (params: {
    asked: AskedPeriod;
    sessions: number;
    average: number;
    rate: number;
    shades: number;
    allSessions: number | null;
  }) =>
    `No session was ever created for ${askedText(params.asked)}. Expected an empty answer, got ${counted(params.sessions, 'session')}, an average of ${number(params.average)}, a rate of ${number(params.rate)} and ${counted(params.shades, 'top shade')}.${
      params.allSessions === null
        ? ''
        : ` All products together have ${counted(params.allSessions, 'session')}.`
    }`,
  'audit-products-pass':
    'In {periods:count period}, the known products together have at most the sessions of all products.',
  'audit-products-none':
    'No known product has sessions. Name such products in the profile (analytics.products).',
  'audit-session-pass': ({ hasInteractions, numbers }: { numbers: number; hasInteractions: boolean }) =>
    `The new session counts exactly once in ${counted(numbers, 'number')}.${
      hasInteractions ? '' : ' No interaction could be sent, so only total_sessions is judged.'
    }`,
  'audit-session-not-created': ({ status }: { status: number | null }) =>
    `No session could be created: ${status ?? 'no answer'}.`,
  'audit-session-too-early': 'Analytics were not asked late enough after the session.',
  'audit-session-unclear':
    'The interactions of the session got no clear answer, so the expected values are not known.',
  'audit-session-redelivered': (params: { asked: AskedPeriod; sessions: number; isMore: boolean }) =>
    `Expected 1 ${params.isMore ? 'more ' : ''}session for ${askedText(params.asked)}, got ${number(params.sessions)}. The request may have been delivered again (profile: redeliveries).`,
  'audit-session-missing': (params: { asked: AskedPeriod; freshnessMs: number; isLate: boolean }) =>
    `Expected 1 session for ${askedText(params.asked)} after ${span(params.freshnessMs)}, got 0. ${
      params.isLate
        ? 'A later answer has it, so it came too late.'
        : 'The last answer has none either: it is lost, or even later.'
    }`,
  'audit-session-count': ({ asked, sessions }: { asked: AskedPeriod; sessions: number }) =>
    `Expected 1 session for ${askedText(asked)}, because one was created; got ${number(sessions)}.`,
  'audit-session-average': ({ asked, got }: { asked: AskedPeriod; got: number }) =>
    `Expected avg_shades_per_session 1 for ${askedText(asked)}, got ${number(got)}. Its only session has one shade.`,
  'audit-session-rate': ({ asked, got }: { asked: AskedPeriod; got: number }) =>
    `Expected cart_intent_rate 1 for ${askedText(asked)}, got ${number(got)}. Its only session has a cart intent.`,
  'audit-session-shades': (params: { asked: AskedPeriod; shades: { sku: string; selections: number }[] }) =>
    `Expected one shade with 1 selection in top_shades of ${askedText(params.asked)}. Got ${
      params.shades
        .slice(0, 5)
        .map(({ selections, sku }) => `${sku} with ${number(selections)}`)
        .join(', ') || 'no shade'
    }.`,
  'audit-session-total': ({ after, asked, before }: { asked: AskedPeriod; before: number; after: number }) =>
    `One session was created. Expected 1 more than ${number(before)} for ${askedText(asked)}, got ${number(after)}.`,
  'audit-session-mean': (params: {
    asked: AskedPeriod;
    field: string;
    before: number;
    sessions: number;
    got: number;
    expected: number;
  }) =>
    `Before, ${params.field} of ${askedText(params.asked)} was ${number(params.before)} over ${counted(params.sessions, 'session')}. With one session of value 1 more, expected ${number(params.expected)}, got ${number(params.got)}.`,
  'audit-session-day': ({ day, due, zone }: { day: string; due: string[]; zone: string | null }) =>
    `The session was created on ${due.join(' or ')}, but counts on ${day}. ${
      zone === null
        ? 'No time zone explains that.'
        : `The profile says that days begin by ${zone} (analytics.time_zone).`
    }`,
  'audit-shades-pass': 'Lists of top shades agree in {comparisons:count comparison}.',
  'audit-shades-none': 'No answer lists a shade.',
  'audit-shades-wrong': (params: {
    asked: AskedPeriod;
    sku: string;
    selections: number;
    before: number | null;
    fault: 'twice' | 'no-count' | 'unsorted';
  }) => {
    const { asked, before, fault, selections, sku } = params;
    const list = `top_shades of ${askedText(asked)}`;
    if (fault === 'twice') return `Expected each SKU once in ${list}, but ${sku} is there twice.`;
    return fault === 'no-count'
      ? `Expected whole numbers in ${list}, got ${number(selections)} for ${sku}.`
      : `Expected most selections first in ${list}. But ${sku} with ${number(selections)} stands after a shade with ${number(before ?? 0)}.`;
  },
  'audit-reread-pass': 'Answers to {questions:count request} are identical each time.',
  'audit-order-pass': 'Answers to {questions:count request} are identical in every order.',
  'audit-steadiness-none':
    'No request got the same answer early and late, so others may have changed the data.',
  'audit-answer-changed': (params: {
    asked: AskedPeriod;
    fields: FieldChange[];
    isTie: boolean;
    mayComeBack: boolean;
  }) =>
    [
      params.fields.length > 0
        ? `The answer for ${askedText(params.asked)} changed.`
        : params.isTie
          ? `Shades with equal selections changed places in top_shades of ${askedText(params.asked)}.`
          : `The list top_shades of ${askedText(params.asked)} changed.`,
      ...params.fields.map(
        ({ after, before, field }) =>
          `The field ${field} was ${valueText(before)}, then ${valueText(after)}.`,
      ),
      ...(params.mayComeBack
        ? [
            'It changed back, which is right for means over sessions with shades, or by the last event.',
            'The profile can tell (analytics.sessions_averaged, analytics.cart_intent).',
          ]
        : []),
    ].join(' '),
  'audit-answers-pass': 'A 2xx answer in the promised form came to {answers:count valid request}.',
  'audit-answers-none': 'No valid request was sent.',
  'audit-answer-malformed': ({ asked, problem }: { asked: AskedPeriod; problem: string }) =>
    `The answer for ${askedText(asked)} is not in the promised form: ${problem.replace(/\.$/, '')}.`,
  'audit-answer-status': ({ asked, status }: { asked: AskedPeriod; status: number | null }) =>
    `Expected 2xx for ${askedText(asked)}, got ${status ?? 'no answer'}.`,
  'audit-more-findings': 'There {findings:is|are} {findings:count more such finding}.',
  'audit-not-compared':
    'An answer is missing, or others used the account meanwhile, so {comparisons:count comparison} could not be made.',
} as const;
