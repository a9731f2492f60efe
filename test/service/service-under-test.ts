import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { onTestFinished } from 'vitest';
import type { Alterations } from '../../src/service/alterations.ts';
import type { ServiceClock } from '../../src/service/options.ts';
import { buildService, type ServiceInput } from '../../src/service/server.ts';
import type { Interaction, SessionGrant, Shade } from '../../src/wire.ts';

/** A clock that stands still until told. */
export interface ManualClock extends ServiceClock {
  /** Lets time pass, on both clocks. */
  pass(ms: number): void;
  /** Sets the wall clock alone. */
  setWall(iso: string): void;
  /** What the service waited for. Its waits are over at once, unless a test has others. */
  readonly pausesMs: number[];
  pause: (ms: number) => Promise<void>;
}

export function manualClock(startIso = '2026-03-10T12:00:00.000Z'): ManualClock {
  let wall = Date.parse(startIso);
  let monotonic = 12_345;
  const pausesMs: number[] = [];
  return {
    pausesMs,
    pause: async (ms) => void pausesMs.push(ms),
    wallMs: () => wall,
    monotonicMs: () => monotonic,
    pass(ms) {
      wall += ms;
      monotonic += ms;
    },
    setWall(iso) {
      wall = Date.parse(iso);
    },
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: LightMyRequestResponse['headers'];
  /** The body parsed, typed as the test expects it. */
  json<Body>(): Body;
  readonly text: string;
}

export interface Call {
  /** Bearer credentials; `null` sends none. Left out: the key labelled `alice`. */
  readonly bearer?: string | null;
  readonly body?: unknown;
  readonly rawBody?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly remoteAddress?: string;
}

export interface ServiceUnderTest {
  readonly app: FastifyInstance;
  readonly clock: ManualClock;
  /** All so far. */
  readonly answers: readonly Answer[];
  call(method: 'GET' | 'POST' | 'DELETE', path: string, call?: Call): Promise<Answer>;
  importShades(catalogId: string, shades: readonly Shade[], bearer?: string): Promise<Answer>;
  openSession(request?: { product_id?: string; catalog_id?: string }, bearer?: string): Promise<SessionGrant>;
  interact(session: SessionGrant, interactions: readonly Interaction[], bearer?: string): Promise<Answer>;
}

/**
 * Two accounts: `alice` and `alice-too` are keys of one, `bob` of another; a secret is its label with `key-` before it.
 * Plans are `roomy`, and `small` with three sessions, which the key `small` has.
 */
export const testPopulation: Pick<ServiceInput, 'plans' | 'keys'> = {
  plans: { roomy: Number.POSITIVE_INFINITY, small: 3 },
  keys: [
    { label: 'alice', secret: 'key-alice', account: 'a', plan: 'roomy' },
    { label: 'alice-too', secret: 'key-alice-too', account: 'a', plan: 'roomy' },
    { label: 'bob', secret: 'key-bob', account: 'b', plan: 'roomy' },
    { label: 'small', secret: 'key-small', account: 's', plan: 'small' },
  ],
};

/** A service on a manual clock that is closed with the test. */
export function serviceUnderTest(
  options: Partial<ServiceInput> = {},
  alterations?: Alterations,
): ServiceUnderTest {
  const clock = manualClock();
  const app = buildService({ databaseFile: ':memory:', clock, ...testPopulation, ...options }, alterations);
  onTestFinished(() => app.close());

  const answers: Answer[] = [];
  const call: ServiceUnderTest['call'] = async (
    method,
    path,
    { bearer, body, rawBody, headers, remoteAddress = '127.0.0.1' } = {},
  ) => {
    const payload = rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
    const injected = await app.inject({
      method,
      url: `/v1${path}`,
      remoteAddress,
      ...(payload === undefined ? {} : { payload }),
      headers: {
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer ?? 'key-alice'}` }),
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    const answer: Answer = {
      status: injected.statusCode,
      headers: injected.headers,
      json: <Body>() => injected.json<Body>(),
      text: injected.body,
    };
    answers.push(answer);
    return answer;
  };

  return {
    app,
    clock,
    answers,
    call,
    importShades: (catalog_id, shades, bearer) =>
      call('POST', '/shades', { body: { catalog_id, shades }, ...(bearer && { bearer }) }),
    async openSession(request = {}, bearer) {
      const body = { product_id: 'lipstick', catalog_id: 'spring', locale: 'en-US', ...request };
      const answer = await call('POST', '/sessions', { body, ...(bearer && { bearer }) });
      if (answer.status !== 200) throw new Error(`opening a session gave ${answer.status}: ${answer.text}`);
      return answer.json<SessionGrant>();
    },
    interact: (session, interactions, bearer = session.token) =>
      call('POST', `/sessions/${encodeURIComponent(session.session_id)}/interactions`, {
        bearer,
        body: { interactions },
      }),
  };
}

export function shade(sku: string, more: Readonly<Record<string, unknown>> = {}): Shade {
  return { sku, name: `Shade ${sku}`, hex: '#C0FFEE', finish: 'matte', ...more };
}

let lastInteraction = 0;

/** A UUID not given before. */
export function newInteractionId(): string {
  lastInteraction++;
  return `00000000-0000-4000-8000-${lastInteraction.toString(16).padStart(12, '0')}`;
}

export function selected(sku: string, id = newInteractionId()): Interaction {
  return { id, type: 'shade_selected', sku, at: '2026-03-10T12:00:01.000Z' };
}

export function cartIntent(sku?: string, id = newInteractionId()): Interaction {
  return { id, type: 'cart_intent', ...(sku === undefined ? {} : { sku }), at: '2026-03-10T12:00:02.000Z' };
}
