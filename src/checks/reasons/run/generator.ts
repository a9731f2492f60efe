import { counted, number, verb } from '../../../amounts.ts';

/** Reasons of the generator checks. */
export const generatorReasons = {
  'send-lag-unmeasured': 'No planned request was sent.',
  'send-lag-over': ({ boundMs, p99Ms }: { p99Ms: number; boundMs: number }) =>
    `Expected a p99 of the send lag of at most ${number(boundMs)} ms (\`send_lag_bound\`), got ${number(p99Ms)} ms. The latencies include this delay of the generator.`,
  'send-lag-kept': ({ boundMs, p99Ms }: { p99Ms: number; boundMs: number }) =>
    `The p99 of the send lag is ${number(p99Ms)} ms, within the bound of ${number(boundMs)} ms.`,
  'stalls-unwatched': 'The generator did not watch itself under load.',
  'stalls-seen': ({ boundMs, seconds }: { boundMs: number; seconds: number }) =>
    `Expected the generator to pause for at most ${number(boundMs)} ms at a time; it paused longer in ${counted(seconds, 'second')} of the load.`,
  'stalls-of-worker': ({ name }: { name: string }) => `Worker ${name} paused the longest.`,
  'stalls-none': ({ boundMs, seconds }: { boundMs: number; seconds: number }) =>
    `The generator did not pause for more than ${number(boundMs)} ms in ${counted(seconds, 'second')} of the load.`,
  'sockets-held': ({ bound, held }: { held: number; bound: number }) =>
    `Expected the generator to hold back no request; it held back ${number(held)}, because ${number(bound)} ${verb(bound, 'was', 'were')} in flight already (\`in_flight\`). The latencies leave out what these requests would have seen.`,
  'sockets-unused': 'The run sent no request.',
  'sockets-free': 'No request was held back.',
} as const;
