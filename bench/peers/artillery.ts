import { eventBody, headers, sessionBody } from '../generators/requests.ts';
import { connections, eventsPerJourney } from '../generators/usage.ts';
import { type Command, type Peer, perSecond } from './peer.ts';

/**
 * It needs tens of times as long per request as the others, so it gets a tenth of them; a quarter of its figure is
 * then its start.
 */
const share = 10;
const perJourney = eventsPerJourney + 2;

const open = { url: '/sessions', headers, json: JSON.parse(sessionBody) };
const own = { ...headers, authorization: 'Bearer {{ token }}' };

const journey = [
  {
    post: {
      ...open,
      capture: [
        { json: '$.session_id', as: 'id' },
        { json: '$.token', as: 'token' },
      ],
    },
  },
  ...Array.from({ length: eventsPerJourney }, (_, n) => ({
    post: {
      url: '/sessions/{{ id }}/interactions',
      headers: own,
      json: JSON.parse(eventBody(n, '{{ $randomString(36) }}', new Date(0).toISOString())),
    },
  })),
  { get: { url: '/sessions/{{ id }}', headers } },
];

function script(target: string, http: object, phase: object, flow: readonly object[]): Command {
  return {
    args: ['run', '--quiet', 'script.json'],
    files: {
      'script.json': JSON.stringify({
        config: { target, http: { timeout: 60, ...http }, phases: [phase] },
        scenarios: [{ flow }],
      }),
    },
    // Nothing but load goes out, and one thread drives it.
    env: { ARTILLERY_DISABLE_TELEMETRY: 'true', NO_UPDATE_NOTIFIER: '1', WORKERS: '1' },
  };
}

/** Virtual users, each with a connection, which repeat the same flow. */
function closed(baseUrl: URL, iterations: number, flow: readonly object[]): Command {
  return script(baseUrl.href, {}, { duration: 1, arrivalCount: connections }, [
    { loop: flow, count: iterations / connections },
  ]);
}

export const artillery: Peer = {
  name: 'artillery',
  pressure: (baseUrl, requests) => ({
    ...closed(baseUrl, requests / share, [{ post: open }]),
    requests: requests / share,
  }),
  journeys: (baseUrl, requests) => ({
    ...closed(baseUrl, requests / share / perJourney, journey),
    requests: requests / share,
  }),
  // At higher rates, most requests would remain at the end of the time.
  mostPerSecond: 2_000,
  paced: (url, rate, seconds) =>
    script(
      url.origin,
      { pool: connections },
      { duration: seconds, arrivalCount: Math.round(perSecond(rate) * seconds) },
      [{ get: { url: url.pathname } }],
    ),
};
