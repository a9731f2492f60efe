import { createServer, type IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { cannonade } from '../../src/drive/load/closed-loop.ts';
import { programVersion } from '../../src/program-files.ts';
import { listShades, type Translation } from '../../src/target/calls.ts';
import { openPool, openQuestions, TargetClient } from '../../src/target/client.ts';
import { profileSchema } from '../../src/target/profile.ts';
import { Traceparents } from '../../src/vocabulary/trace-id.ts';
import { exchanged, listening } from '../target/loopback.ts';
import { plainLoop } from './plain-loop.ts';
import { recording } from './recording.ts';

const profile = profileSchema.parse({});
const traceRun = '0123456789abcdef';
const agent = `tryon/${programVersion()}`;

/** The headers of the requests that a server gets while `send` sends some. */
async function headersOf(send: (baseUrl: URL) => Promise<unknown>): Promise<readonly IncomingHttpHeaders[]> {
  const heads: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    heads.push(request.headers);
    response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
  });
  await send(await listening(server));
  return heads;
}

const posted: Translation = {
  request: () => ({ method: 'POST', path: '/q', headers: {}, body: '{}' }),
  answer: (_call, answer) => answer,
};

describe('a request', () => {
  it.each([
    ['beside the load', openQuestions, undefined],
    ['through a map', openPool, posted],
  ] as const)('%s has the traceparent of its number', async (_, open, translation) => {
    const [head] = await headersOf(async (baseUrl) => {
      const client = new TargetClient(baseUrl, open(baseUrl, profile), () => 0, translation);
      await exchanged(client, recording({ traceRun }).recorder.traced(listShades('c'), 7));
      await client.destroy();
    });
    expect(head).toMatchObject({ traceparent: new Traceparents(traceRun).of(7), 'user-agent': agent });
  });

  it('of a closed loop names the program, too', async () => {
    const heads = await headersOf((baseUrl) =>
      cannonade({
        ...plainLoop(baseUrl),
        durationMs: 10_000,
        most: 3,
      }),
    );
    expect(heads.map((head) => head['user-agent'])).toEqual([agent, agent, agent]);
  });
});
