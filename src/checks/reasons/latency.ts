import {
  times as asOften,
  counted,
  listed,
  milliseconds,
  noneOf,
  number,
  range,
  seconds,
} from '../../amounts.ts';
import { slower } from '../../vocabulary/crossed.ts';
import { type Trait, traitText } from './words/traits.ts';

interface OpenedConnections {
  readonly boundMs: number;
  readonly connections: number;
  readonly over: number;
  readonly longestMs: number;
}

interface NewConnections {
  readonly connections: number;
  readonly fastestFirstMs: number;
  readonly slowestFirstMs: number;
  readonly slowestNextMs: number;
}

interface SlowValue {
  readonly slow: number;
  readonly others: number;
  readonly trait: Trait;
  readonly values: readonly string[];
}

const floor = `${slower.ms} ms and a factor of ${slower.factor}`;

/** Lists of the largest catalog: what each held, and how long they took. */
interface LargeLists {
  /** Its shades, if it says so, and of how many shades it was a page. */
  readonly list: { readonly shades: number | null; readonly pageOf: number | null };
  readonly fastestMs: number;
  readonly medianMs: number;
  readonly lists: number;
  readonly boundMs: number;
}

function subject({ list: { pageOf, shades } }: LargeLists): string {
  const kind = pageOf === null ? 'list' : 'page';
  if (shades === null) return `${kind} of the largest catalog`;
  return pageOf === null
    ? `${kind} of ${counted(shades, 'shade')}`
    : `${kind} of ${number(shades)} of ${counted(pageOf, 'shade')}`;
}

function medianOf(lists: number): string {
  return lists === 1 ? 'in 1 request' : `median of ${counted(lists, 'request')}`;
}

/** Reasons of the latency checks. */
export const latencyReasons = {
  'neighbours-wait':
    'Expected the same service time while another endpoint works. {endpoint:request} takes at most {aloneMs:ms} ms alone, and at least {besideMs:ms} ms each of {times:count time} that it comes while {other:request} works.',
  'neighbours-in-doubt':
    '{endpoint:request} took at most {aloneMs:ms} ms alone, and at least {besideMs:ms} ms while {other:request} worked. It was tried {times:times} only, so chance is not excluded.',
  'neighbours-too-few': 'No endpoint was answered both alone and while another one worked.',
  'neighbours-free': ({ mostWaitMs, pairs }: { pairs: number; mostWaitMs: number }) =>
    `In ${counted(pairs, 'ordered pair')} of endpoints, one got a request while the other worked. None was slower each time than alone by more than ${floor}. At each pair, a wait of more than ${milliseconds(mostWaitMs)} ms each time is excluded. Without it, an answer would have been quicker than any other of its endpoint. Rarer waits are not excluded.`,
  'connections-slow-at-first': (params: NewConnections) =>
    `Expected the same service time over a new connection. The first request of each of ${counted(params.connections, 'new connection')} took at least ${milliseconds(params.fastestFirstMs)} ms, the next on it at most ${milliseconds(params.slowestNextMs)} ms. Opening the connection is not counted.`,
  'connections-alike': (params: NewConnections) =>
    `The first requests of ${counted(params.connections, 'new connection')} took ${range({ min: params.fastestFirstMs, max: params.slowestFirstMs }, milliseconds)} ms, the next on each at most ${milliseconds(params.slowestNextMs)} ms. That every first request is slower by more than ${floor} is excluded.`,
  'connections-some-slow':
    'Expected all connections of the load to be equally fast. Of {of:count connection}, {slow} took at least {slowMs:ms} ms (median), and others at the same time at most {quickMs:ms} ms.',
  'connections-none-slow': ({ connections, fewest }: { connections: number; fewest: number }) =>
    `The load used ${counted(connections, 'connection')}, for at least ${counted(fewest, 'request')} each. None was slow in 80 % of its requests while another was quick: by ${floor}.`,
  'connections-too-few':
    'Both requests were answered over {connections:count new connection}; the check needs {fewest}.',
  'opening-none': 'No request opened a connection, or the history does not say how long that took.',
  'opening-kept': ({ boundMs, connections, longestMs }: OpenedConnections) =>
    `The longest of ${counted(connections, 'connection')} took ${milliseconds(longestMs)} ms to open; the bound is ${milliseconds(boundMs)} ms.`,
  'opening-rare':
    'Of {connections:count connection}, {over} took longer than {boundMs:ms} ms to open (longest: {longestMs:ms} ms). A lost packet has the same effect.',
  'opening-slow':
    'Expected connections to open within {boundMs:ms} ms. Of {connections:count connection}, {over} took longer (longest: {longestMs:ms} ms).',
  'outside-load-kept':
    'Of {requests:count request} outside the load, {over} took longer than the bound on the endpoint; the slowest took {slowestMs:seconds} ({slowest:request}). No key, catalog, product or locale had nearly all of them, nor had first lists of catalogs. Fewer than 3 slow requests are not judged.',
  'outside-load-slow': ({ others, slow, trait, values }: SlowValue) =>
    `Expected requests outside the load to keep the bounds of the scenario. Nearly all of ${counted(slow, 'request')} with ${traitText(trait, values)} took longer, and hardly any of ${counted(others, 'other')}.`,
  'outside-load-first':
    'Expected the first list of a catalog to keep the bound on lists. Of {lists:count first list}, {slow} took longer, and hardly any later list of the same catalogs.',
  'large-list-cut':
    'The lists held {shades:count shade} of the {imported} imported, so the time for a whole list is not known.',
  'large-list-unanswered': 'No list of the largest catalog was answered.',
  'large-list-slow': (params: LargeLists) =>
    `Expected at most ${number(params.boundMs)} ms for a ${subject(params)} without any load, got ${milliseconds(params.medianMs)} ms (${medianOf(params.lists)}). Even the fastest took ${milliseconds(params.fastestMs)} ms.`,
  'large-list-in-doubt': (params: LargeLists) =>
    `A ${subject(params)} took ${milliseconds(params.medianMs)} ms (median), over the bound of ${number(params.boundMs)} ms. The fastest took ${milliseconds(params.fastestMs)} ms, so something else may have held up the others.`,
  'large-list-kept': (params: LargeLists) =>
    `A ${subject(params)} took ${milliseconds(params.medianMs)} ms (${medianOf(params.lists)}), within ${number(params.boundMs)} ms.`,
  'large-list-pages': 'Reading {pages:count page} one after the other took {tookMs} ms.',
  'large-list-ordinary': 'Ordinary lists of {shades:count shade} took {medianMs:ms} ms (median).',
  'latency-no-answer': 'The run has no answer to measure.',
  'latency-unmeasured': 'Expected both latencies for each answer; got {answers:count answer} without.',
  'latency-impossible':
    'Expected 0 ≤ service time ≤ response time for each answer; got {answers:count answer} in another order.',
  'latency-table-empty': 'No ordinary request was answered.',
  'latency-table-measured':
    'Both latencies are possible in {answers:count answer} to ordinary requests (not to probes): neither is negative, and response time is not below service time. Service time counts from the moment a request was sent. Response time counts from the moment it was due, so it includes the wait while the target is stuck.',
  'slo-too-few': 'A {percentile:text} needs at least {needed:count request}; the run has {samples}.',
  'slo-over': 'Expected a {percentile:text} of at most {boundMs} ms, got {atMs} ms.',
  'slo-unanswered':
    'Expected a {percentile:text} of at most {boundMs} ms, got a request that was never answered.',
  'slo-kept': 'The {percentile:text} of {samples:count request} is {atMs} ms, within {boundMs} ms.',
  'slo-lost':
    'Of these, {requests:count request} got no answer and {requests:counts|count} as slower than any other.',
  'slo-opening':
    'Without the wait of {connections:count request} for connections to open, the bound is kept. The longest times are {resolveMs:ms} ms to resolve the name, {connectMs:ms} ms to connect, and {handshakeMs:ms} ms for TLS. A promise on that is judged apart (profile: `opening_bound`).',
  'slo-stood-still':
    'The target, or the network, stood still: nothing was answered for {forMs:seconds}, from {fromMs:seconds} after the start of the load. Of {over:count request} over the bound, {held} waited for its end.',
  'slo-pauses': (params: {
    pauses: number;
    longestMs: number;
    everyMs?: number;
    held: number;
    over: number;
  }) =>
    `The target, or the network, stood still ${asOften(params.pauses)}${params.everyMs === undefined ? '' : `, every ${seconds(params.everyMs)}`}, for up to ${seconds(params.longestMs)}. Of ${counted(params.over, 'request')} over the bound, ${number(params.held)} waited for the end of one.`,
  'slo-grew': ({ mediansMs }: { mediansMs: readonly number[] }) =>
    `The target did not keep up: the response time grew as long as the load lasted. Its medians in equal parts of the load are ${listed(mediansMs.map(milliseconds))} ms.`,
  'slo-queued': 'Of {over:count request} over the bound, {queued} waited while the same key got 429 at once.',
  'slo-first':
    'Of {connections:count first request} on a connection, {slow} {slow:was|were} over it, and hardly any other.',
  'slo-one-at-a-time':
    'Most of {over:count request} over it waited for others: while requests wait, there is one answer every {everyMs:ms} ms.',
  'slo-since':
    'From one request on, {late} of {of:count request} {of:was|were} over it, and none of {before:count request} before it in that phase.',
  'slo-value': ({ others, slow, trait, values }: SlowValue) =>
    `Nearly all of ${counted(slow, 'request')} with ${traitText(trait, values)} were over it, and hardly any of ${counted(others, 'other')}.`,
  'slo-single':
    'Of {over:count request} over the bound, {single} {single:was|were} slow while others at the same time took a fraction of that.',
  'latency-periodic':
    'Expected no slow requests at regular intervals, but every {every:ordinal} {of:text} is over the bound, at {medianMs} ms (median). Others at the same time took a fraction of that. Of {events:count such answer}, {hits} {hits:has|have} that distance; by accident this happens less than once in 10^{chance:count run}.',
  'latency-periodic-allowed': 'The percentiles of the scenario allow such a share of slow requests.',
  'latency-grows':
    'Expected the same service times at the same load. At {endpoint:request}, the median is {beforeMs:ms} ms in the first quarter and {afterMs:ms} ms in the last. The rank test for a trend gives z = {z}.',
  'latency-higher-afterwards':
    'Expected the same service times before the load and after it, one request at a time. At {endpoint:request}, the slowest of all before it took {beforeMs:ms} ms, and the fastest tenth after it {afterMs:ms} ms.',
  'latency-grows-by-session':
    'Expected that a new session takes no longer than the ones before it. In their order, the slowest of the first third took {beforeMs:ms} ms. The fastest tenth of the last third took {afterMs:ms} ms. Other requests did not slow down.',
  'latency-grows-not':
    'Service times show no growth while the load stayed the same, at {endpoints:requests}. Growth by half or by less than 5 ms is not excluded.',
  'latency-trend-too-few':
    'No endpoint has 16 stretches of nearly the same request rate with 3 or more answers each, so no trend can be measured.',
  'latency-not-periodic': ({ answers, slow }: { slow: number; answers: number }) =>
    `Of ${counted(answers, 'answer')}, ${number(slow)} took longer than the bound${slow === 0 ? `: ${noneOf(answers)}` : ', not at regular intervals'}.`,
} as const;
