import { times as asOften, counted, milliseconds, number, range } from '../../../amounts.ts';
import { slower } from '../../../vocabulary/crossed.ts';
import { requestText } from '../../diagnosis/requests.ts';

interface Crossing {
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

const floor = `${slower.ms} ms and a factor of ${slower.factor}`;

/** Reasons for endpoints in pairs, and for new connections. */
export const crossedReasons = {
  'neighbours-wait': ({ aloneMs, besideMs, endpoint, other, times }: Crossing) =>
    `Expected the same service time while another endpoint works. ${requestText(endpoint)} takes at most ${milliseconds(aloneMs)} ms alone, and at least ${milliseconds(besideMs)} ms each of ${counted(times, 'time')} that it comes while ${requestText(other)} works.`,
  'neighbours-in-doubt': ({ aloneMs, besideMs, endpoint, other, times }: Crossing) =>
    `${requestText(endpoint)} took at most ${milliseconds(aloneMs)} ms alone, and at least ${milliseconds(besideMs)} ms while ${requestText(other)} worked. It was tried ${asOften(times)} only, so chance is not excluded.`,
  'neighbours-too-few': 'No endpoint was answered both alone and while another one worked.',
  'neighbours-free': ({ mostWaitMs, pairs }: { pairs: number; mostWaitMs: number }) =>
    `In ${counted(pairs, 'ordered pair')} of endpoints, one got a request while the other worked. None was slower each time than alone by more than ${floor}. At each pair, a wait of more than ${milliseconds(mostWaitMs)} ms each time is excluded. Without it, an answer would have been quicker than any other of its endpoint. Rarer waits are not excluded.`,
  'connections-slow-at-first': (params: NewConnections) =>
    `Expected the same service time over a new connection. The first request of each of ${counted(params.connections, 'new connection')} took at least ${milliseconds(params.fastestFirstMs)} ms, the next on it at most ${milliseconds(params.slowestNextMs)} ms. Opening the connection is not counted.`,
  'connections-alike': (params: NewConnections) =>
    `The first requests of ${counted(params.connections, 'new connection')} took ${range({ min: params.fastestFirstMs, max: params.slowestFirstMs }, milliseconds)} ms, the next on each at most ${milliseconds(params.slowestNextMs)} ms. That every first request is slower by more than ${floor} is excluded.`,
  'connections-too-few': ({ connections, fewest }: { connections: number; fewest: number }) =>
    `Both requests were answered over ${counted(connections, 'new connection')}; the check needs ${number(fewest)}.`,
} as const;
