import { headers, sessionBody } from '../generators/requests.ts';
import { connections } from '../generators/usage.ts';
import type { Peer } from './peer.ts';

/** These two have flags of their own. */
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
};
