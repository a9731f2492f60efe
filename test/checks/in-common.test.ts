import { describe, expect, it } from 'vitest';
import { inCommon, requestTraits, traitsOfRequests } from '../../src/checks/core/in-common.ts';
import { type SampleRequest, withHistory } from '../history/sample.ts';

interface Visit {
  readonly product: string;
  readonly locale: string;
  readonly key: 'load' | 'quota';
  /** Milliseconds after the session was created. */
  readonly ageMs: number;
  /** Milliseconds since the last event of the session. */
  readonly idleMs: number;
  readonly atMs: number;
  /** Sessions that were created since. */
  readonly newer: number;
  /** Of these, sessions of the same product. */
  readonly newerAlike: number;
}

const products = ['p1', 'p2', 'p3', 'p4', 'p5'];
const locales = ['en-GB', 'de-DE', 'fr-FR'];

/** So that the next session of a product is the fourth from there, or the fifth. */
function productOf(n: number): string {
  return products[(n + Math.floor(n / 7)) % products.length] ?? '';
}

/** 60 sessions, each with an event after a second and two reads: at once, and after a pause that differs. */
function visits(fails: (visit: Visit) => boolean): SampleRequest[] {
  return Array.from({ length: 60 }, (_, n) => n).flatMap((n) => {
    const fromMs = 1_000 * n;
    const product = productOf(n);
    const locale = locales[n % locales.length] ?? '';
    const key = n % 4 === 0 ? 'quota' : 'load';
    const pauseMs = 100 * (1 + ((7 * n) % 60));
    const at = (ms: number): Pick<SampleRequest, 'intendedNs' | 'sentNs' | 'answeredNs'> => ({
      intendedNs: ms * 1e6,
      sentNs: ms * 1e6,
      answeredNs: (ms + 1) * 1e6,
    });
    const about = { sessionId: `s${n}`, credential: key } as const;
    const read = (idleMs: number): SampleRequest => {
      const ageMs = 1_000 + idleMs;
      const atMs = fromMs + ageMs;
      const newer = Math.min(59, Math.floor((atMs - 1) / 1_000)) - n;
      const since = Array.from({ length: newer }, (_, k) => productOf(n + 1 + k));
      const newerAlike = since.filter((each) => each === product).length;
      const status = fails({ product, locale, key, ageMs, idleMs, atMs, newer, newerAlike }) ? 404 : 200;
      return { endpoint: 'read-session', ...about, ...at(atMs), status };
    };
    return [
      { endpoint: 'create-session', ...about, productId: product, catalogId: 'c', locale, ...at(fromMs) },
      { endpoint: 'interact', ...about, credential: 'session', items: 1, status: 202, ...at(fromMs + 1_000) },
      read(50),
      read(pauseMs),
    ];
  });
}

describe('what requests that fail have in common', () => {
  it.each<[string, Parameters<typeof visits>[0], string | undefined, (readonly string[])?]>([
    ['a product', ({ product }) => product === 'p2', 'product_id', ['p2']],
    ['two products', ({ product }) => product === 'p2' || product === 'p5', 'product_id', ['p2', 'p5']],
    ['a locale', ({ locale }) => locale === 'fr-FR', 'locale', ['fr-FR']],
    ['a key', ({ key }) => key === 'quota', 'credential', ['quota']],
    ['a pause in the session', ({ idleMs }) => idleMs >= 5_000, 'idle', ['from 5 s on']],
    ['a number of newer sessions', ({ newer }) => newer >= 4, 'newer', ['from 4 on']],
    [
      'a number of newer sessions of the product',
      ({ newerAlike }) => newerAlike >= 1,
      'newer_alike',
      ['from 1 on'],
    ],
    ['an instant since which they fail', ({ atMs }) => atMs >= 50_000, 'sent_at', ['from 50.1 s on']],
    ['an instant until which they fail', ({ atMs }) => atMs <= 9_000, 'sent_at', ['up to 8.1 s']],
    [
      'nothing, where one product fails but once',
      ({ product, atMs }) => product === 'p2' && atMs > 3_000,
      undefined,
    ],
    ['nothing, where every seventh fails', ({ atMs }) => Math.floor(atMs / 10) % 7 === 0, undefined],
    ['nothing, where one fails', ({ atMs }) => atMs < 1_060, undefined],
    ['nothing, where none does', () => false, undefined],
  ])('is %s', async (_, fails, trait, values) => {
    const found = await withHistory({ requests: visits(fails) }, (history) =>
      inCommon(history, traitsOfRequests("endpoint = 'read-session'", 'status = 404'), requestTraits),
    );
    expect(found?.trait).toBe(trait);
    if (values !== undefined) expect(found?.values).toEqual(values);
  });

  it('is nearly all and hardly any other, where that is asked', async () => {
    const mostly = visits(({ product, atMs }) =>
      product === 'p2' ? atMs > 3_000 : atMs > 59_000 && atMs < 60_000,
    );
    const rows = traitsOfRequests("endpoint = 'read-session'", 'status = 404');
    const [exact, nearly] = await withHistory({ requests: mostly }, async (history) => [
      await inCommon(history, rows, ['product_id']),
      await inCommon(history, rows, ['product_id'], { bad: 0.8, good: 0.1 }),
    ]);
    expect(exact).toBeUndefined();
    expect(nearly).toMatchObject({ trait: 'product_id', values: ['p2'] });
  });
});
