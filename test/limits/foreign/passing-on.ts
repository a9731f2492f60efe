import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Started } from './fixture.ts';

/** Forwards a request to a port of 127.0.0.1. */
export type PassOn = (asked: IncomingMessage, answer: ServerResponse) => void;

/** A plain proxy without a limit. */
export function passingOn(started: Started, port: number): PassOn {
  const agent = new Agent({ keepAlive: true });
  started.add(() => agent.destroy());
  return (asked, answer) => {
    const { method, url, headers } = asked;
    const onward = request({ host: '127.0.0.1', port, agent, method, path: url, headers }, (from) => {
      answer.writeHead(from.statusCode ?? 502, from.headers);
      from.pipe(answer);
    });
    onward.on('error', () => {
      if (!answer.headersSent) answer.writeHead(502);
      answer.end();
    });
    asked.pipe(onward);
  };
}
