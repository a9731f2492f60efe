import { headers, sessionBody } from '../generators/requests.ts';
import { connections } from '../generators/usage.ts';
import { type Peer, untimedSeconds } from './peer.ts';

/** Where it stores its results, as it does for a report. */
const output = '-output=results.bin';

export const vegeta: Peer = {
  name: 'vegeta',
  pressure: (baseUrl) => ({
    args: [
      ...['attack', '-rate=0', `-duration=${untimedSeconds}s`, '-targets=targets', '-body=body.json', output],
      ...[`-workers=${connections}`, `-max-workers=${connections}`, `-connections=${connections}`],
      ...Object.entries(headers).map(([name, value]) => `-header=${name}: ${value}`),
    ],
    files: { targets: `POST ${baseUrl.href}/sessions\n`, 'body.json': sessionBody },
  }),
  paced: (url, { count, per }, seconds) => ({
    args: ['attack', `-rate=${count}/1${per}`, `-duration=${seconds}s`, '-targets=targets', output],
    files: { targets: `GET ${url.href}\n` },
  }),
};
