import { counted, listed, number, range, verb } from '../../../../amounts.ts';
import type { Interval } from '../../../../vocabulary/bounds.ts';
import { kindText, type LimiterSize, type Pace, paceText, sizeText } from '../names.ts';

type What = 'limit' | 'window';
/** A limit in requests, or a window in milliseconds. */
const sizeIs = (what: What, bounds: Interval): string =>
  what === 'limit' ? range(bounds) : `${range(bounds, (ms) => number(Math.round(ms)))} ms`;

/** Reasons of the checks of the limiter's kind, limit and window. */
export const kindReasons = {
  'study-keys-differ': 'The keys have different limits; these figures are those of the load key.',
  'study-also-as-promised': ({ name, ...promised }: Pace & { name: string }) =>
    `But a ${name} of ${paceText(promised)}, as promised, explains every answer, too. The other limiter is only more likely.`,
  'algorithm-unknown':
    'No known kind of limiter explains every answer. Other users of the same key would have the same effect.',
  'algorithm-queue-rejects':
    'Some requests wait in a queue and others are rejected. Either a full queue rejects them, or the service behind a limiter is slow.',
  'algorithm-queue': ({ perSecond, ...promised }: Pace & { perSecond: number | null }) =>
    `Expected 429 beyond ${paceText(promised)}, but requests wait in a queue${perSecond === null ? '' : ` that serves ${number(perSecond)} a second`}.`,
  'algorithm-none': ({ admitted, isOver, ...promised }: Pace & { admitted: number; isOver: boolean }) =>
    `No limit was found: the service admitted ${counted(admitted, 'request')} and rejected none. ${
      isOver
        ? `Expected 429 beyond ${paceText(promised)}.`
        : 'It is not certain that they exceeded the promised limit.'
    }`,
  'algorithm-nodes': ({ admits, isMore, ...promised }: Pace & { admits: number | null; isMore: boolean }) =>
    `Admissions and rejections mix as if several nodes each had a counter${isMore ? '' : ', or the limiter is of an unknown kind'}. Expected ${paceText(promised)}, got ${admits === null ? 'more' : `${number(admits)} in the same time`}.`,
  'algorithm-concurrency': ({ atOnce }: { atOnce: number | null }) =>
    `The limit is on requests at the same time${atOnce === null ? '' : ` (about ${number(atOnce)})`}, not on requests per time.`,
  'algorithm-differs': ({ name, promised }: { promised: string; name: string }) =>
    `Expected a ${kindText(promised)}; the limiter is a ${name}.`,
  'algorithm-status': ({ name, status }: { name: string; status: number }) =>
    `The limiter looks like a ${name}. Expected 429 for each rejection, got ${status} in place of it.`,
  'algorithm-rejection-status': ({ status }: { status: number }) =>
    `It rejects with ${status} in place of 429.`,
  'algorithm-undecided': ({ names }: { names: readonly string[] }) =>
    `More than one kind of limiter explains every answer: ${listed(names, 3)}. More probes could decide (\`--budget\`).`,
  'algorithm-found': ({
    name,
    refuted,
    requests,
    ...size
  }: LimiterSize & { name: string; requests: number; refuted: number }) =>
    `The limiter is a ${name} of ${sizeText(size)}. It explains every answer (${counted(requests, 'request')}), and ${counted(refuted, 'other kind')} ${verb(refuted, 'is', 'are')} refuted.`,
  'size-none-rejected': ({ what }: { what: What }) =>
    `No request was rejected, so the answers give no bounds for the ${what}.`,
  'size-no-kind': ({ what }: { what: What }) => `No kind of limiter with a ${what} explains every answer.`,
  'size-drifts': (params: { isShrinking: boolean; admittedAt: number; rejectedAt: number }) =>
    `Expected one limit in the whole study, but the limit ${params.isShrinking ? 'shrinks' : 'grows'}. A request was admitted after ${counted(Math.floor(params.admittedAt), 'request')} of its window, and ${params.isShrinking ? 'later' : 'earlier'} one was rejected after ${number(Math.ceil(params.rejectedAt))}.`,
  'size-one-more': ({ name, promised }: { name: string; promised: number }) =>
    `The limiter is a ${name} that admits ${number(promised + 1)} from idle and refills at the promised rate. Some limiters that are set to ${number(promised)} do that.`,
  'size-differs': (params: { what: What; name: string; bounds: Interval; promised: number }) =>
    `Expected a ${params.what} of ${sizeIs(params.what, { min: params.promised, max: params.promised })}; the ${params.what} of the ${params.name} is ${sizeIs(params.what, params.bounds)}.`,
  'size-of-nodes': ({ nodes }: { nodes: number }) =>
    `That is ${number(nodes)} × the promised limit, as if several nodes each had a counter.`,
  'size-none-as-promised': ({ what }: { what: What }) =>
    `Every kind of limiter that explains the answers has another ${what} than promised.`,
  'size-assumed':
    'This assumes that requests that waited reached the queue about as promptly as rejected ones.',
  'size-undecided': ({ what }: { what: What }) =>
    `The ${what} depends on the kind of limiter, which is not certain.`,
  'size-vague': ({ bounds, what }: { what: What; bounds: Interval }) =>
    `The answers only show a ${what} of ${sizeIs(what, bounds)}, which is too wide to confirm the promise.`,
  'size-as-promised': ({ bounds, name, what }: { what: What; name: string; bounds: Interval }) =>
    `Every answer is consistent with a ${what} of ${sizeIs(what, bounds)} (limiter: ${name}).`,
} as const;
