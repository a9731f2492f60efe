import type { FastifyReply } from 'fastify';
import type { ServiceOptions } from '../options.ts';
import type { Variant } from './variant.ts';

/** What the headers of draft 06 say, which the reference service sends. */
interface Limit {
  readonly requests: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** Answers that say how much of the rate limit is left say it by other headers. `Retry-After` is that of HTTP and stays. */
function limitSaidBy(
  name: string,
  title: string,
  headersOf: (limit: Limit, options: ServiceOptions) => Readonly<Record<string, string>>,
): Variant {
  return {
    name,
    title,
    alterations: {
      server: (app, options) => {
        app.addHook('onSend', async (_request, reply) => {
          const limit = takeLimit(reply);
          if (limit !== undefined) reply.headers(headersOf(limit, options));
        });
      },
    },
  };
}

function takeLimit(reply: FastifyReply): Limit | undefined {
  if (!reply.hasHeader('ratelimit-limit')) return undefined;
  const [requests = 0, remaining = 0, resetSeconds = 0] = ['limit', 'remaining', 'reset'].map((field) =>
    Number(reply.getHeader(`ratelimit-${field}`)),
  );
  for (const field of ['limit', 'remaining', 'reset', 'policy']) reply.removeHeader(`ratelimit-${field}`);
  return { requests, remaining, resetSeconds };
}

export const structuredLimitHeaders = limitSaidBy(
  'draft-10-headers',
  'Rate-limit headers follow draft-ietf-httpapi-ratelimit-headers-10',
  ({ requests, remaining, resetSeconds }, { rateLimit }) => ({
    'ratelimit-policy': `"key";q=${requests};w=${Math.ceil(rateLimit.windowMs / 1_000)}`,
    ratelimit: `"key";r=${remaining};t=${resetSeconds}`,
  }),
);

export const epochLimitHeaders = limitSaidBy(
  'x-headers',
  'Rate-limit headers are X-RateLimit headers, with the reset in seconds since 1970',
  ({ requests, remaining, resetSeconds }, { clock }) => ({
    'x-ratelimit-limit': String(requests),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil(clock.wallMs() / 1_000) + resetSeconds),
  }),
);
