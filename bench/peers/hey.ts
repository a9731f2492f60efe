import { headers, sessionBody } from '../generators/requests.ts';
import { connections } from '../generators/usage.ts';
import type { Peer } from './peer.ts';

/** These two have separate flags. */
const { accept, 'content-type': contentType, ...others } = headers;

export const hey: Peer = {
  name: 'hey',
  pressure: (baseUrl, requests) => ({
    args: [
      ...['-n', String(requests), '-c', String(connections), '-m', 'POST', '-T', contentType, '-A', accept],
      ...Object.entries(others).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
      ...['-d', sessionBody, `${baseUrl.href}/sessions`],
    ],
    requests,
  }),
  timed: (url, perSecond, seconds) => ({
    // The rate is each connection's.
    args: [
      ...['-z', `${seconds}s`, '-c', String(connections), '-q', String(perSecond / connections)],
      ...['-o', 'csv', url.href],
    ],
  }),
  // A line of names, then a line a request; seconds come first.
  latenciesMs: (output) =>
    output
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => Number.parseFloat(line) * 1e3),
};
