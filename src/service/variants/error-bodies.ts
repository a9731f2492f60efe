import type { ErrorBody } from '../answers.ts';
import { rewriteBodies } from './answers.ts';
import type { Variant } from './variant.ts';

export const problemDetails: Variant = {
  name: 'problem-details',
  title: 'Errors have the body of RFC 9457',
  alterations: {
    server: (app) => {
      rewriteBodies(app, (body, { status }) => {
        if (status < 400) return body;
        const { code, message } = (body as ErrorBody).error;
        return { type: `urn:problem:${code}`, title: code.replaceAll('_', ' '), status, detail: message };
      });
      app.addHook('onSend', async (_request, reply) => {
        if (reply.statusCode >= 400) reply.type('application/problem+json; charset=utf-8');
      });
    },
  },
};

export const emptyErrors: Variant = {
  name: 'empty-errors',
  title: 'Errors have no body',
  alterations: {
    server: (app) => {
      app.addHook('onSend', async (_request, reply, payload) => {
        if (reply.statusCode < 400) return payload;
        reply.removeHeader('content-type').removeHeader('content-length');
        return '';
      });
    },
  },
};
