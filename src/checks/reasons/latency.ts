import { counted, listed, milliseconds, noneOf, number, ordinal, seconds, verb } from '../../amounts.ts';
import { largeListReasons } from './latency/large-list.ts';
import { wording } from './wording.ts';

/** Reasons of the latency checks. */
export const latencyReasons = {
  ...largeListReasons,
  'latency-no-answer': wording({}, () => 'The run has no answer to measure.'),
  'latency-table-impossible': wording(
    { unmeasured: 1, impossible: 2 },
    ({ impossible, unmeasured }) =>
      `Expected both latencies for each answer, with 0 ≤ service time ≤ response time. Got ${counted(unmeasured, 'answer')} without both and ${number(impossible)} in another order.`,
  ),
  'latency-table-empty': wording({}, () => 'No ordinary request was answered.'),
  'latency-table-measured': wording(
    { answers: 11 },
    ({ answers }) =>
      `Both latencies are possible in ${counted(answers, 'answer')} to ordinary requests (not to probes): neither is negative, and response time is not below service time. Service time counts from the moment a request was sent. Response time counts from the moment it was due, so it includes the wait while the target is stuck.`,
  ),
  'slo-too-few': wording(
    { samples: 12, percentile: 'p99', needed: 100 },
    ({ needed, percentile, samples }) =>
      `A ${percentile} needs at least ${counted(needed, 'request')}; the run has ${number(samples)}.`,
  ),
  'slo-over': wording(
    { percentile: 'p99', atMs: 2_000, boundMs: 1_000 },
    ({ atMs, boundMs, percentile }) =>
      `Expected a ${percentile} of at most ${number(boundMs)} ms, got ${number(atMs)} ms.`,
  ),
  'slo-unanswered': wording(
    { percentile: 'p99', boundMs: 1_000 },
    ({ boundMs, percentile }) =>
      `Expected a ${percentile} of at most ${number(boundMs)} ms, got a request that was never answered.`,
  ),
  'slo-kept': wording(
    { percentile: 'p99', samples: 400, atMs: 5, boundMs: 1_000 },
    ({ atMs, boundMs, percentile, samples }) =>
      `The ${percentile} of ${counted(samples, 'request')} is ${number(atMs)} ms, within ${number(boundMs)} ms.`,
  ),
  'slo-lost': wording(
    { requests: 2 },
    ({ requests }) =>
      `Of these, ${counted(requests, 'request')} got no answer and ${verb(requests, 'counts', 'count')} as slower than any other.`,
  ),
  'slo-stood-still': wording(
    { forMs: 3_050, fromMs: 5_000, held: 41, over: 41 },
    ({ forMs, fromMs, held, over }) =>
      `The target, or the network, stood still: nothing was answered for ${seconds(forMs)}, from ${seconds(fromMs)} after the start of the load. Of ${counted(over, 'request')} over the bound, ${number(held)} waited for its end.`,
  ),
  'slo-grew': wording(
    { mediansMs: [488, 1_448, 2_408, 3_368, 4_328] },
    ({ mediansMs }) =>
      `The target did not keep up: the response time grew as long as the load lasted. Its medians in equal parts of the load are ${listed(mediansMs.map(milliseconds))} ms.`,
  ),
  'slo-single': wording(
    { single: 7, over: 7 },
    ({ over, single }) =>
      `Of ${counted(over, 'request')} over the bound, ${number(single)} ${verb(single, 'was', 'were')} slow while others at the same time took a fraction of that.`,
  ),
  'latency-periodic': wording(
    { every: 100, of: 'accepted request', medianMs: 2_000, hits: 11, events: 11, chance: 12 },
    ({ chance, events, every, hits, medianMs, of }) =>
      `Expected no slow requests at regular intervals, but every ${ordinal(every)} ${of} is over the bound, at ${number(medianMs)} ms (median). Others at the same time took a fraction of that. Of ${counted(events, 'such answer')}, ${number(hits)} ${verb(hits, 'has', 'have')} that distance; by accident this happens less than once in 10^${counted(chance, 'run')}.`,
  ),
  'latency-periodic-allowed': wording(
    {},
    () => 'The percentiles of the scenario allow such a share of slow requests.',
  ),
  'latency-not-periodic': wording(
    { slow: 3, answers: 400 },
    ({ answers, slow }) =>
      `Of ${counted(answers, 'answer')}, ${number(slow)} took longer than the bound${slow === 0 ? `: ${noneOf(answers)}` : ', not at regular intervals'}.`,
  ),
} as const;
