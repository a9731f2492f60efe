import {
  times as asOften,
  counted,
  listed,
  milliseconds,
  noneOf,
  number,
  ordinal,
  range,
  seconds,
  verb,
} from '../../amounts.ts';
import { slower } from '../../vocabulary/crossed.ts';
import { requestsText, requestText } from './words/requests.ts';
import { type Trait, traitText } from './words/traits.ts';

interface OpenedConnections {
  readonly boundMs: number;
  readonly connections: number;
  readonly over: number;
  readonly longestMs: number;
}

/** How long an endpoint takes alone, and while another one works. */
export interface CrossingFigures {
  readonly endpoint: string;
  readonly other: string;
  readonly times: number;
  readonly aloneMs: number;
  readonly besideMs: number;
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

interface SlowConnections {
  readonly slow: number;
  readonly of: number;
  readonly slowMs: number;
  readonly quickMs: number;
}

const floor = `${slower.ms} ms and a factor of ${slower.factor}`;

/** What a list held: its shades, if it says so, and of how many shades it was a page. */
interface LargeList {
  readonly shades: number | null;
  readonly pageOf: number | null;
}

function subject({ pageOf, shades }: LargeList): string {
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
  'neighbours-wait': ({ aloneMs, besideMs, endpoint, other, times }: CrossingFigures) =>
    `Expected the same service time while another endpoint works. ${requestText(endpoint)} takes at most ${milliseconds(aloneMs)} ms alone, and at least ${milliseconds(besideMs)} ms each of ${counted(times, 'time')} that it comes while ${requestText(other)} works.`,
  'neighbours-in-doubt': ({ aloneMs, besideMs, endpoint, other, times }: CrossingFigures) =>
    `${requestText(endpoint)} took at most ${milliseconds(aloneMs)} ms alone, and at least ${milliseconds(besideMs)} ms while ${requestText(other)} worked. It was tried ${asOften(times)} only, so chance is not excluded.`,
  'neighbours-too-few': 'No endpoint was answered both alone and while another one worked.',
  'neighbours-free': ({ mostWaitMs, pairs }: { pairs: number; mostWaitMs: number }) =>
    `In ${counted(pairs, 'ordered pair')} of endpoints, one got a request while the other worked. None was slower each time than alone by more than ${floor}. At each pair, a wait of more than ${milliseconds(mostWaitMs)} ms each time is excluded. Without it, an answer would have been quicker than any other of its endpoint. Rarer waits are not excluded.`,
  'connections-slow-at-first': (params: NewConnections) =>
    `Expected the same service time over a new connection. The first request of each of ${counted(params.connections, 'new connection')} took at least ${milliseconds(params.fastestFirstMs)} ms, the next on it at most ${milliseconds(params.slowestNextMs)} ms. Opening the connection is not counted.`,
  'connections-alike': (params: NewConnections) =>
    `The first requests of ${counted(params.connections, 'new connection')} took ${range({ min: params.fastestFirstMs, max: params.slowestFirstMs }, milliseconds)} ms, the next on each at most ${milliseconds(params.slowestNextMs)} ms. That every first request is slower by more than ${floor} is excluded.`,
  'connections-some-slow': ({ of, quickMs, slow, slowMs }: SlowConnections) =>
    `Expected all connections of the load to be equally fast. Of ${counted(of, 'connection')}, ${number(slow)} took at least ${milliseconds(slowMs)} ms (median), and others at the same time at most ${milliseconds(quickMs)} ms.`,
  'connections-none-slow': ({ connections, fewest }: { connections: number; fewest: number }) =>
    `The load used ${counted(connections, 'connection')}, for at least ${counted(fewest, 'request')} each. None was slow in 80 % of its requests while another was quick: by ${floor}.`,
  'connections-too-few': ({ connections, fewest }: { connections: number; fewest: number }) =>
    `Both requests were answered over ${counted(connections, 'new connection')}; the check needs ${number(fewest)}.`,
  'opening-none': 'No request opened a connection, or the history does not say how long that took.',
  'opening-kept': ({ boundMs, connections, longestMs }: OpenedConnections) =>
    `The longest of ${counted(connections, 'connection')} took ${milliseconds(longestMs)} ms to open; the bound is ${milliseconds(boundMs)} ms.`,
  'opening-rare': ({ boundMs, connections, longestMs, over }: OpenedConnections) =>
    `Of ${counted(connections, 'connection')}, ${number(over)} took longer than ${milliseconds(boundMs)} ms to open (longest: ${milliseconds(longestMs)} ms). A lost packet has the same effect.`,
  'opening-slow': ({ boundMs, connections, longestMs, over }: OpenedConnections) =>
    `Expected connections to open within ${milliseconds(boundMs)} ms. Of ${counted(connections, 'connection')}, ${number(over)} took longer (longest: ${milliseconds(longestMs)} ms).`,
  'outside-load-kept': ({ over, requests }: { requests: number; over: number }) =>
    `Of ${counted(requests, 'request')} outside the load, ${number(over)} took longer than the bound on the endpoint. No key, catalog, product or locale had nearly all of them, nor had first lists of catalogs. Fewer than 3 slow requests are not judged.`,
  'outside-load-slow': ({ others, slow, trait, values }: SlowValue) =>
    `Expected requests outside the load to keep the bounds of the scenario. Nearly all of ${counted(slow, 'request')} with ${traitText(trait, values)} took longer, and hardly any of ${counted(others, 'other')}.`,
  'outside-load-first': ({ lists, slow }: { lists: number; slow: number }) =>
    `Expected the first list of a catalog to keep the bound on lists. Of ${counted(lists, 'first list')}, ${number(slow)} took longer, and hardly any later list of the same catalogs.`,
  'large-list-cut': ({ imported, shades }: { shades: number; imported: number }) =>
    `The lists held ${counted(shades, 'shade')} of the ${number(imported)} imported, so the time for a whole list is not known.`,
  'large-list-unanswered': 'No list of the largest catalog was answered.',
  'large-list-slow': (params: {
    list: LargeList;
    fastestMs: number;
    medianMs: number;
    lists: number;
    boundMs: number;
  }) =>
    `Expected at most ${number(params.boundMs)} ms for a ${subject(params.list)} without any load, got ${milliseconds(params.medianMs)} ms (${medianOf(params.lists)}). Even the fastest took ${milliseconds(params.fastestMs)} ms.`,
  'large-list-in-doubt': (params: {
    list: LargeList;
    fastestMs: number;
    medianMs: number;
    boundMs: number;
  }) =>
    `A ${subject(params.list)} took ${milliseconds(params.medianMs)} ms (median), over the bound of ${number(params.boundMs)} ms. The fastest took ${milliseconds(params.fastestMs)} ms, so something else may have held up the others.`,
  'large-list-kept': (params: { list: LargeList; medianMs: number; lists: number; boundMs: number }) =>
    `A ${subject(params.list)} took ${milliseconds(params.medianMs)} ms (${medianOf(params.lists)}), within ${number(params.boundMs)} ms.`,
  'large-list-pages': ({ pages, tookMs }: { pages: number; tookMs: number }) =>
    `Reading ${counted(pages, 'page')} one after the other took ${number(tookMs)} ms.`,
  'large-list-ordinary': ({ medianMs, shades }: { shades: number; medianMs: number }) =>
    `Ordinary lists of ${counted(shades, 'shade')} took ${milliseconds(medianMs)} ms (median).`,
  'latency-no-answer': 'The run has no answer to measure.',
  'latency-table-impossible': ({ impossible, unmeasured }: { unmeasured: number; impossible: number }) =>
    `Expected both latencies for each answer, with 0 ≤ service time ≤ response time. Got ${counted(unmeasured, 'answer')} without both and ${number(impossible)} in another order.`,
  'latency-table-empty': 'No ordinary request was answered.',
  'latency-table-measured': ({ answers }: { answers: number }) =>
    `Both latencies are possible in ${counted(answers, 'answer')} to ordinary requests (not to probes): neither is negative, and response time is not below service time. Service time counts from the moment a request was sent. Response time counts from the moment it was due, so it includes the wait while the target is stuck.`,
  'slo-too-few': ({ needed, percentile, samples }: { samples: number; percentile: string; needed: number }) =>
    `A ${percentile} needs at least ${counted(needed, 'request')}; the run has ${number(samples)}.`,
  'slo-over': ({ atMs, boundMs, percentile }: { percentile: string; atMs: number; boundMs: number }) =>
    `Expected a ${percentile} of at most ${number(boundMs)} ms, got ${number(atMs)} ms.`,
  'slo-unanswered': ({ boundMs, percentile }: { percentile: string; boundMs: number }) =>
    `Expected a ${percentile} of at most ${number(boundMs)} ms, got a request that was never answered.`,
  'slo-kept': (params: { percentile: string; samples: number; atMs: number; boundMs: number }) =>
    `The ${params.percentile} of ${counted(params.samples, 'request')} is ${number(params.atMs)} ms, within ${number(params.boundMs)} ms.`,
  'slo-lost': ({ requests }: { requests: number }) =>
    `Of these, ${counted(requests, 'request')} got no answer and ${verb(requests, 'counts', 'count')} as slower than any other.`,
  'slo-opening': (params: {
    connections: number;
    resolveMs: number;
    connectMs: number;
    handshakeMs: number;
  }) =>
    `Without the wait of ${counted(params.connections, 'request')} for connections to open, the bound is kept. The longest times are ${milliseconds(params.resolveMs)} ms to resolve the name, ${milliseconds(params.connectMs)} ms to connect, and ${milliseconds(params.handshakeMs)} ms for TLS. A promise on that is judged apart (profile: \`opening_bound\`).`,
  'slo-stood-still': (params: { forMs: number; fromMs: number; held: number; over: number }) =>
    `The target, or the network, stood still: nothing was answered for ${seconds(params.forMs)}, from ${seconds(params.fromMs)} after the start of the load. Of ${counted(params.over, 'request')} over the bound, ${number(params.held)} waited for its end.`,
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
  'slo-queued': ({ over, queued }: { queued: number; over: number }) =>
    `Of ${counted(over, 'request')} over the bound, ${number(queued)} waited while the same key got 429 at once.`,
  'slo-first': ({ connections, slow }: { connections: number; slow: number }) =>
    `Of ${counted(connections, 'first request')} on a connection, ${number(slow)} ${verb(slow, 'was', 'were')} over it, and hardly any other.`,
  'slo-one-at-a-time': ({ everyMs, over }: { everyMs: number; over: number }) =>
    `Most of ${counted(over, 'request')} over it waited for others: while requests wait, there is one answer every ${milliseconds(everyMs)} ms.`,
  'slo-since': ({ before, late, of }: { before: number; late: number; of: number }) =>
    `From one request on, ${number(late)} of ${counted(of, 'request')} ${verb(of, 'was', 'were')} over it, and none of ${counted(before, 'request')} before it in that phase.`,
  'slo-value': ({ others, slow, trait, values }: SlowValue) =>
    `Nearly all of ${counted(slow, 'request')} with ${traitText(trait, values)} were over it, and hardly any of ${counted(others, 'other')}.`,
  'slo-single': ({ over, single }: { single: number; over: number }) =>
    `Of ${counted(over, 'request')} over the bound, ${number(single)} ${verb(single, 'was', 'were')} slow while others at the same time took a fraction of that.`,
  'latency-periodic': (params: {
    every: number;
    of: string;
    medianMs: number;
    hits: number;
    events: number;
    chance: number;
  }) =>
    `Expected no slow requests at regular intervals, but every ${ordinal(params.every)} ${params.of} is over the bound, at ${number(params.medianMs)} ms (median). Others at the same time took a fraction of that. Of ${counted(params.events, 'such answer')}, ${number(params.hits)} ${verb(params.hits, 'has', 'have')} that distance; by accident this happens less than once in 10^${counted(params.chance, 'run')}.`,
  'latency-periodic-allowed': 'The percentiles of the scenario allow such a share of slow requests.',
  'latency-grows': (params: { endpoint: string; beforeMs: number; afterMs: number; z: number }) =>
    `Expected the same service times at the same load. At ${requestText(params.endpoint)}, the median is ${milliseconds(params.beforeMs)} ms in the first quarter and ${milliseconds(params.afterMs)} ms in the last. The rank test for a trend gives z = ${number(params.z)}.`,
  'latency-higher-afterwards': (params: { endpoint: string; beforeMs: number; afterMs: number }) =>
    `Expected the same service times before the load and after it, one request at a time. At ${requestText(params.endpoint)}, the slowest of all before it took ${milliseconds(params.beforeMs)} ms, and the fastest tenth after it ${milliseconds(params.afterMs)} ms.`,
  'latency-grows-not': ({ endpoints }: { endpoints: readonly string[] }) =>
    `Service times show no growth while the load stayed the same, at ${requestsText(endpoints)}. Growth by half or by less than 5 ms is not excluded.`,
  'latency-trend-too-few':
    'No endpoint has 16 stretches of nearly the same request rate with 3 or more answers each, so no trend can be told.',
  'latency-not-periodic': ({ answers, slow }: { slow: number; answers: number }) =>
    `Of ${counted(answers, 'answer')}, ${number(slow)} took longer than the bound${slow === 0 ? `: ${noneOf(answers)}` : ', not at regular intervals'}.`,
} as const;
