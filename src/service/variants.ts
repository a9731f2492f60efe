import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SessionAnalytics } from '../wire.ts';
import { type Alterations, type Changes, endpointOf, reports, type Variant, vary } from './alterations.ts';
import type { ErrorBody } from './gate.ts';
import type { AnalyticsConventions, ServiceOptions } from './options.ts';

/** ties-listed: how many shades are due. */
const due = 3;
/** cached-analytics: below the second that the reference service promises. */
const oldestMs = 700;

const analyticsVariants: readonly Variant[] = [
  vary('ties-descending', 'Shades with equal selections are in descending order of SKU', {
    options: conventions({ ties: 'sku-descending' }),
  }),

  vary('short-top-shades', 'top_shades has 5 entries at most', { options: conventions({ topShades: 5 }) }),

  vary('ties-listed', `top_shades has ${due} entries, and more if they have as many selections as the last`, {
    options: conventions({ topShades: 10_000 }),
    analytics: reports(() => (report) => {
      const least = report.top_shades[due - 1]?.selections ?? 0;
      return { ...report, top_shades: report.top_shades.filter(({ selections }) => selections >= least) };
    }),
  }),

  // As many decimals as there are, less the last bit: the mean was taken in another order of additions.
  vary('unrounded', 'Averages and rates are not rounded, and differ by one in the last bit', {
    options: conventions({ decimals: 17 }),
    analytics: reports(() => (report) => ({
      ...report,
      avg_shades_per_session: lastBitOff(report.avg_shades_per_session),
      cart_intent_rate: lastBitOff(report.cart_intent_rate),
    })),
  }),

  vary('cached-analytics', `Analytics are up to ${oldestMs} ms old`, {
    analytics({ report }, { clock }) {
      const kept = new Map<string, { readonly report: SessionAnalytics; readonly madeMs: number }>();
      return {
        async report(caller, period, productId) {
          const nowMs = clock.monotonicMs();
          const question = JSON.stringify([caller.accountId, period, productId]);
          const known = kept.get(question);
          if (known !== undefined && nowMs - known.madeMs < oldestMs) return known.report;
          const made = await report(caller, period, productId);
          kept.set(question, { report: made, madeMs: nowMs });
          return made;
        },
      };
    },
  }),
];

function conventions(changed: Partial<AnalyticsConventions>): NonNullable<Alterations['options']> {
  return (options) => ({ ...options, analytics: { ...options.analytics, ...changed } });
}

/** The next smaller double, or the one after that; 0 stays 0. */
function lastBitOff(value: number): number {
  return value * (1 - Number.EPSILON / 2);
}

/** extra-fields. */
const extra = { object: 'resource', revision: 7, labels: ['blue'], meta: { region: 'eu-1', note: null } };

const answerVariants: readonly Variant[] = [
  vary('shades-bare', 'GET /shades answers with a bare array', { payload: listedAs((shades) => shades) }),

  vary('shades-wrapped', 'GET /shades answers {"shades": […]} and nothing else', {
    payload: listedAs((shades) => ({ shades })),
  }),

  vary('import-201', 'POST /shades answers 201', { answer: importsAnswered(201) }),
  vary('import-202', 'POST /shades answers 202', { answer: importsAnswered(202) }),

  vary('extra-fields', 'Every object in every body has unknown fields', { payload: bodies(withExtra) }),

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
    payload: bodies((body, _request, { statusCode: status }) => {
      if (status < 400) return body;
      const { code, message } = (body as ErrorBody).error;
      return { type: `urn:problem:${code}`, title: code.replaceAll('_', ' '), status, detail: message };
    }),
    answer(reply) {
      if (reply.statusCode >= 400) reply.type('application/problem+json; charset=utf-8');
    },
  }),

  vary('empty-errors', 'Errors have no body', {
    payload: () => (payload, _request, reply) => {
      if (reply.statusCode < 400) return payload;
      reply.removeHeader('content-type').removeHeader('content-length');
      return '';
    },
  }),
];

type BodyChange = NonNullable<Changes['payload']>;

/** Replaces the body of every answer that is JSON. */
function bodies(
  rewrite: (body: unknown, request: FastifyRequest, reply: FastifyReply) => unknown,
): BodyChange {
  return () => (payload, request, reply) => {
    const type = String(reply.getHeader('content-type') ?? '');
    if (typeof payload !== 'string' || !type.startsWith('application/json')) return payload;
    return JSON.stringify(rewrite(JSON.parse(payload), request, reply));
  };
}

/** Replaces the list of shades by another form of it. */
function listedAs(form: (shades: readonly unknown[]) => unknown): BodyChange {
  return bodies((body, request, { statusCode }) =>
    endpointOf(request) === 'GET /v1/shades' && statusCode === 200
      ? form((body as { readonly shades: readonly unknown[] }).shades)
      : body,
  );
}

/** The interface does not specify the success of POST /shades. */
function importsAnswered(status: 201 | 202): NonNullable<Changes['answer']> {
  return (reply) => {
    if (endpointOf(reply.request) === 'POST /v1/shades' && reply.statusCode === 200) reply.code(status);
  };
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

const slowMs = 150;
const offMs = 400;

/** Limiter, speed and clock. */
const conductVariants: readonly Variant[] = [
  vary('token-bucket', 'The rate limit is a token bucket of the same rate and burst', {
    options: (options) => ({ ...options, limiter: 'token-bucket' }),
  }),
  vary('slow', `Every answer takes ${slowMs} ms, within the latency promise`, {
    work:
      ({ clock }) =>
      () =>
        clock.pause(slowMs),
  }),
  vary('clock-ahead', `The clock is ${offMs} ms ahead`, clockOff(offMs)),
  vary('clock-behind', `The clock is ${offMs} ms behind`, clockOff(-offMs)),
];

/** The wall clock of the service is not that of the machine. */
function clockOff(byMs: number): Changes {
  return {
    options: ({ clock, ...options }) => ({
      ...options,
      clock: { ...clock, wallMs: () => clock.wallMs() + byMs },
    }),
  };
}

/** Every harmless variant of the service. */
export const variants: readonly Variant[] = [...analyticsVariants, ...answerVariants, ...conductVariants];
