import type { FastifyReply } from 'fastify';
import type { ServiceOptions } from '../options.ts';
import type { Alterations } from '../server.ts';

/** Changes the status or the headers of every answer, just before it is sent. */
export function alteredAnswers(change: (reply: FastifyReply, options: ServiceOptions) => void): Alterations {
  return {
    server: (app, options) => {
      app.addHook('onSend', (_request, reply, _payload, done) => {
        change(reply, options);
        done();
      });
    },
  };
}
