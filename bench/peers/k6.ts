import { eventBody, headers, sessionBody } from '../generators/requests.ts';
import { connections, eventsPerJourney } from '../generators/usage.ts';
import type { Command, Peer } from './peer.ts';

const perJourney = eventsPerJourney + 2;

/** An iteration's requests are named; otherwise k6 keeps statistics for each session's URL. */
const pressure = (base: string): string => `
  http.post('${base}/sessions', ${JSON.stringify(sessionBody)}, { headers });`;

const journey = (base: string): string => `
  const session = http.post('${base}/sessions', ${JSON.stringify(sessionBody)}, { headers, responseType: 'text' }).json();
  const own = { ...headers, authorization: 'Bearer ' + session.token };
  const url = '${base}/sessions/' + session.session_id;
  for (let n = 0; n < ${eventsPerJourney}; n++) {
    const body = ${JSON.stringify(eventBody(0, '%id', '%at'))}
      .replace('-000-', '-00' + n + '-')
      .replace('%id', __VU + '-' + __ITER + '-' + n)
      .replace('%at', new Date().toISOString());
    http.post(url + '/interactions', body, { headers: own, tags: { name: 'act' } });
  }
  http.get(url, { headers, tags: { name: 'read' } });`;

function script(scenario: object, iteration: string): Command {
  const options = { discardResponseBodies: true, scenarios: { all: scenario } };
  return {
    args: ['run', '--quiet', '--no-usage-report', 'script.js'],
    files: {
      'script.js': `import http from 'k6/http';
export const options = ${JSON.stringify(options)};
const headers = ${JSON.stringify(headers)};
export default function () {${iteration}
}
`,
    },
  };
}

const closed = (iterations: number): object => ({
  executor: 'shared-iterations',
  vus: connections,
  iterations,
  maxDuration: '1h',
});

export const k6: Peer = {
  name: 'k6',
  pressure: ({ href }, requests) => ({ ...script(closed(requests), pressure(href)), requests }),
  journeys: ({ href }, requests) => ({ ...script(closed(requests / perJourney), journey(href)), requests }),
  paced: ({ href }, { count, per }, seconds) =>
    script(
      {
        executor: 'constant-arrival-rate',
        rate: count,
        timeUnit: `1${per}`,
        duration: `${seconds}s`,
        preAllocatedVUs: connections,
        maxVUs: 10 * connections,
      },
      `\n  http.get('${href}');`,
    ),
};
