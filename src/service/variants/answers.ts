import type { FastifyReply } from 'fastify';
import type { Alterations, Changes } from '../alterations.ts';
import type { ErrorBody } from '../gate.ts';
import type { ServiceOptions } from '../options.ts';
import { type Variant, vary } from './variant.ts';

/** extra-fields. */
const extra = { object: 'resource', revision: 7, labels: ['blue'], meta: { region: 'eu-1', note: null } };

export const answerVariants: readonly Variant[] = [
  vary('shades-bare', 'GET /shades answers with a bare array', { server: listedAs((shades) => shades) }),

  vary('shades-wrapped', 'GET /shades answers {"shades": […]} and nothing else', {
    server: listedAs((shades) => ({ shades })),
  }),

  vary('import-201', 'POST /shades answers 201', { answer: importsAnswered(201) }),
  vary('import-202', 'POST /shades answers 202', { answer: importsAnswered(202) }),

  vary('extra-fields', 'Every object in every body has unknown fields', { server: bodies(withExtra) }),

  vary('draft-10-headers', 'Rate-limit headers follow draft-ietf-httpapi-ratelimit-headers-10', {
    answer: limitHeaders(({ requests, remaining, resetSeconds }, { rateLimit }) => ({
      'ratelimit-policy': `"key";q=${requests};w=${Math.ceil(rateLimit.windowMs / 1_000)}`,
      ratelimit: `"key";r=${remaining};t=${resetSeconds}`,
    })),
  }),

  vary('x-headers', 'Rate-limit headers are X-RateLimit headers, with the reset in seconds since 1970', {
    answer: limitHeaders(({ requests, remaining, resetSeconds }, { clock }) => ({
      'x-ratelimit-limit': String(requests),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(Math.ceil(clock.wallMs() / 1_000) + resetSeconds),
    })),
  }),

  vary('problem-details', 'Errors have the body of RFC 9457', {
    server: bodies((body, { status }) => {
      if (status < 400) return body;
      const { code, message } = (body as ErrorBody).error;
      return { type: `urn:problem:${code}`, title: code.replaceAll('_', ' '), status, detail: message };
    }),
    answer(reply) {
      if (reply.statusCode >= 400) reply.type('application/problem+json; charset=utf-8');
    },
  }),

  vary('empty-errors', 'Errors have no body', {
    server: (app) => {
      app.addHook('onSend', async (_request, reply, payload) => {
        if (reply.statusCode < 400) return payload;
        reply.removeHeader('content-type').removeHeader('content-length');
        return '';
      });
    },
  }),
];

/** An answer as it goes out. `endpoint` has the form `METHOD /path/:pattern`. */
interface Outgoing {
  readonly endpoint: string;
  readonly status: number;
}

/** Replaces the body of every answer that is JSON. */
function bodies(rewrite: (body: unknown, outgoing: Outgoing) => unknown): NonNullable<Alterations['server']> {
  return (app) => {
    app.addHook('onSend', async (_request, reply, payload) => {
      const type = String(reply.getHeader('content-type') ?? '');
      if (typeof payload !== 'string' || !type.startsWith('application/json')) return payload;
      const outgoing = { endpoint: endpointOf(reply), status: reply.statusCode };
      return JSON.stringify(rewrite(JSON.parse(payload), outgoing));
    });
  };
}

/** Replaces the list of shades by another form of it. */
function listedAs(form: (shades: readonly unknown[]) => unknown): NonNullable<Alterations['server']> {
  return bodies((body, { endpoint, status }) =>
    endpoint === 'GET /v1/shades' && status === 200
      ? form((body as { readonly shades: readonly unknown[] }).shades)
      : body,
  );
}

/** The interface does not specify the success of POST /shades. */
function importsAnswered(status: 201 | 202): NonNullable<Changes['answer']> {
  return (reply) => {
    if (endpointOf(reply) === 'POST /v1/shades' && reply.statusCode === 200) reply.code(status);
  };
}

function endpointOf({ request }: FastifyReply): string {
  return `${request.method} ${request.routeOptions.url ?? ''}`;
}

function withExtra(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withExtra);
  if (typeof value !== 'object' || value === null) return value;
  const own = Object.entries(value).map(([name, field]) => [name, withExtra(field)]);
  return { ...extra, ...Object.fromEntries(own) };
}

/** The values of the headers that the reference service sends, which are those of draft 06. */
interface Limit {
  readonly requests: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** Replaces the headers of the rate limit. `Retry-After` is that of HTTP and stays. */
function limitHeaders(
  headersOf: (limit: Limit, options: ServiceOptions) => Readonly<Record<string, string>>,
): NonNullable<Changes['answer']> {
  return (reply, options) => {
    if (!reply.hasHeader('ratelimit-limit')) return;
    const value = (field: string): number => Number(reply.getHeader(`ratelimit-${field}`));
    const limit = { requests: value('limit'), remaining: value('remaining'), resetSeconds: value('reset') };
    for (const field of ['limit', 'remaining', 'reset', 'policy']) reply.removeHeader(`ratelimit-${field}`);
    reply.headers(headersOf(limit, options));
  };
}
