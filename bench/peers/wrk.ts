import { headers, sessionBody } from '../generators/requests.ts';
import { connections } from '../generators/usage.ts';
import { type Peer, untimedSeconds } from './peer.ts';

const script = [
  'wrk.method = "POST"',
  `wrk.body = ${JSON.stringify(sessionBody)}`,
  ...Object.entries(headers).map(([name, value]) => `wrk.headers["${name}"] = "${value}"`),
].join('\n');

export const wrk: Peer = {
  name: 'wrk',
  pressure: (baseUrl) => ({
    args: ['-t1', `-c${connections}`, `-d${untimedSeconds}s`, '-s', 'post.lua', `${baseUrl.href}/sessions`],
    files: { 'post.lua': script },
  }),
};
