import { counted, listed, number, range, verb } from '../../../../amounts.ts';
import type { Interval } from '../../../../vocabulary/bounds.ts';
import { wording } from '../../wording.ts';
import { kindText, type LimiterSize, type Pace, paceText, sizeText } from '../names.ts';

const rate: Pace = { requests: 100, windowMs: 6_000 };
type What = 'limit' | 'window';
/** A limit in requests, or a window in milliseconds. */
const sizeIs = (what: What, bounds: Interval): string =>
  what === 'limit' ? range(bounds) : `${range(bounds, (ms) => number(Math.round(ms)))} ms`;

/** Reasons of the checks of the limiter's kind, limit and window. */
export const kindReasons = {
  'study-keys-differ': wording(
    {},
    () => 'The keys have different limits; these figures are those of the load key.',
  ),
  'study-also-as-promised': wording<Pace & { readonly name: string }>(
    { ...rate, name: 'token bucket' },
    ({ name, ...promised }) =>
      `But a ${name} of ${paceText(promised)}, as promised, explains every answer, too. The other limiter is only more likely.`,
  ),
  'algorithm-unknown': wording(
    {},
    () =>
      'No known kind of limiter explains every answer. Other users of the same key would have the same effect.',
  ),
  'algorithm-queue-rejects': wording(
    {},
    () =>
      'Some requests wait in a queue and others are rejected. Either a full queue rejects them, or the service behind a limiter is slow.',
  ),
  'algorithm-queue': wording<Pace & { readonly perSecond: number | null }>(
    { ...rate, perSecond: 16.7 },
    ({ perSecond, ...promised }) =>
      `Expected 429 beyond ${paceText(promised)}, but requests wait in a queue${perSecond === null ? '' : ` that serves ${number(perSecond)} a second`}.`,
  ),
  'algorithm-none': wording<Pace & { readonly admitted: number; readonly isOver: boolean }>(
    { ...rate, admitted: 1_200, isOver: true },
    ({ admitted, isOver, ...promised }) =>
      `No limit was found: the service admitted ${counted(admitted, 'request')} and rejected none. ${
        isOver
          ? `Expected 429 beyond ${paceText(promised)}.`
          : 'It is not certain that they exceeded the promised limit.'
      }`,
  ),
  'algorithm-nodes': wording<Pace & { readonly admits: number | null; readonly isMore: boolean }>(
    { ...rate, admits: 200, isMore: true },
    ({ admits, isMore, ...promised }) =>
      `Admissions and rejections mix as if several nodes each had a counter${isMore ? '' : ', or the limiter is of an unknown kind'}. Expected ${paceText(promised)}, got ${admits === null ? 'more' : `${number(admits)} in the same time`}.`,
  ),
  'algorithm-concurrency': wording<{ readonly atOnce: number | null }>(
    { atOnce: 10 },
    ({ atOnce }) =>
      `The limit is on requests at the same time${atOnce === null ? '' : ` (about ${number(atOnce)})`}, not on requests per time.`,
  ),
  'algorithm-differs': wording(
    { promised: 'fixed-window', name: 'token bucket' },
    ({ name, promised }) => `Expected a ${kindText(promised)}; the limiter is a ${name}.`,
  ),
  'algorithm-status': wording(
    { name: 'token bucket', status: 503 },
    ({ name, status }) =>
      `The limiter looks like a ${name}. Expected 429 for each rejection, got ${status} in place of it.`,
  ),
  'algorithm-rejection-status': wording(
    { status: 503 },
    ({ status }) => `It rejects with ${status} in place of 429.`,
  ),
  'algorithm-undecided': wording<{ readonly names: readonly string[] }>(
    { names: ['token bucket', 'sliding window'] },
    ({ names }) =>
      `More than one kind of limiter explains every answer: ${listed(names, 3)}. More probes could decide (\`--budget\`).`,
  ),
  'algorithm-found': wording<
    LimiterSize & { readonly name: string; readonly requests: number; readonly refuted: number }
  >(
    { name: 'token bucket', limit: 100, windowMs: 6_000, refillPerS: 16.7, requests: 312, refuted: 11 },
    ({ name, refuted, requests, ...size }) =>
      `The limiter is a ${name} of ${sizeText(size)}. It explains every answer (${counted(requests, 'request')}), and ${counted(refuted, 'other kind')} ${verb(refuted, 'is', 'are')} refuted.`,
  ),
  'size-none-rejected': wording<{ readonly what: What }>(
    { what: 'limit' },
    ({ what }) => `No request was rejected, so the answers give no bounds for the ${what}.`,
  ),
  'size-no-kind': wording<{ readonly what: What }>(
    { what: 'window' },
    ({ what }) => `No kind of limiter with a ${what} explains every answer.`,
  ),
  'size-one-more': wording(
    { name: 'token bucket', promised: 100 },
    ({ name, promised }) =>
      `The limiter is a ${name} that admits ${number(promised + 1)} from idle and refills at the promised rate. Some limiters that are set to ${number(promised)} do that.`,
  ),
  'size-differs': wording<{
    readonly what: What;
    readonly name: string;
    readonly bounds: Interval;
    readonly promised: number;
  }>(
    { what: 'limit', name: 'token bucket', bounds: { min: 101, max: 105 }, promised: 100 },
    ({ bounds, name, promised, what }) =>
      `Expected a ${what} of ${sizeIs(what, { min: promised, max: promised })}; the ${what} of the ${name} is ${sizeIs(what, bounds)}.`,
  ),
  'size-of-nodes': wording(
    { nodes: 2 },
    ({ nodes }) => `That is ${number(nodes)} × the promised limit, as if several nodes each had a counter.`,
  ),
  'size-none-as-promised': wording<{ readonly what: What }>(
    { what: 'limit' },
    ({ what }) => `Every kind of limiter that explains the answers has another ${what} than promised.`,
  ),
  'size-undecided': wording<{ readonly what: What }>(
    { what: 'limit' },
    ({ what }) => `The ${what} depends on the kind of limiter, which is not certain.`,
  ),
  'size-vague': wording<{ readonly what: What; readonly bounds: Interval }>(
    { what: 'limit', bounds: { min: 90, max: 120 } },
    ({ bounds, what }) =>
      `The answers only show a ${what} of ${sizeIs(what, bounds)}, which is too wide to confirm the promise.`,
  ),
  'size-as-promised': wording<{ readonly what: What; readonly name: string; readonly bounds: Interval }>(
    { what: 'limit', name: 'token bucket', bounds: { min: 100, max: 100 } },
    ({ bounds, name, what }) =>
      `Every answer is consistent with a ${what} of ${sizeIs(what, bounds)} (limiter: ${name}).`,
  ),
} as const;
