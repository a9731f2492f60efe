import { counted, number, verb } from '../../../amounts.ts';
import { wording } from '../wording.ts';

/** Reasons of the generator checks. */
export const generatorReasons = {
  'send-lag-unmeasured': wording({}, () => 'No planned request was sent.'),
  'send-lag-over': wording(
    { p99Ms: 60, boundMs: 50 },
    ({ boundMs, p99Ms }) =>
      `Expected a p99 of the send lag of at most ${number(boundMs)} ms (\`send_lag_bound\`), got ${number(p99Ms)} ms. The latencies include this delay of the generator.`,
  ),
  'send-lag-kept': wording(
    { p99Ms: 12, boundMs: 50 },
    ({ boundMs, p99Ms }) =>
      `The p99 of the send lag is ${number(p99Ms)} ms, within the bound of ${number(boundMs)} ms.`,
  ),
  'stalls-unwatched': wording({}, () => 'The generator did not watch itself under load.'),
  'stalls-seen': wording(
    { boundMs: 250, seconds: 3 },
    ({ boundMs, seconds }) =>
      `Expected the generator to pause for at most ${number(boundMs)} ms at a time; it paused longer in ${counted(seconds, 'second')} of the load.`,
  ),
  'stalls-of-worker': wording({ name: '2' }, ({ name }) => `Worker ${name} paused the longest.`),
  'stalls-none': wording(
    { boundMs: 250, seconds: 60 },
    ({ boundMs, seconds }) =>
      `The generator did not pause for more than ${number(boundMs)} ms in ${counted(seconds, 'second')} of the load.`,
  ),
  'sockets-held': wording(
    { held: 3, bound: 256 },
    ({ bound, held }) =>
      `Expected the generator to hold back no request; it held back ${number(held)}, because ${number(bound)} ${verb(bound, 'was', 'were')} in flight already (\`in_flight\`). The latencies leave out what these requests would have seen.`,
  ),
  'sockets-unused': wording({}, () => 'The run sent no request.'),
  'sockets-free': wording({}, () => 'No request was held back.'),
} as const;
