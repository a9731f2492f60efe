import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as calls from '../../src/target/calls.ts';
import { usualChannel } from '../../src/target/profile.ts';

const channel = usualChannel;

describe('calls', () => {
  it('are those of the interface', () => {
    const session = { product_id: 'p', catalog_id: 'c', locale: 'en-GB' };
    const shades = { catalog_id: 'c', shades: [{ sku: 's', name: 'n', hex: '#A1B2C3', finish: 'matte' }] };
    const days = { start_date: '2026-05-01', end_date: '2026-05-02' };
    expect(calls.createSession(session)).toEqual({
      endpoint: 'create-session',
      method: 'POST',
      path: '/sessions',
      body: JSON.stringify(session),
      about: { productId: 'p', catalogId: 'c', locale: 'en-GB' },
    });
    expect(calls.importShades(shades)).toMatchObject({
      method: 'POST',
      path: '/shades',
      body: JSON.stringify(shades),
    });
    expect(calls.readSession('x')).toMatchObject({
      endpoint: 'read-session',
      method: 'GET',
      path: '/sessions/x',
    });
    expect(calls.listShades('c')).toMatchObject({
      endpoint: 'list-shades',
      method: 'GET',
      path: '/shades?catalog_id=c',
    });
    expect(calls.analytics({ ...days, product_id: 'p' }).path).toBe(
      '/analytics/sessions?start_date=2026-05-01&end_date=2026-05-02&product_id=p',
    );
    expect(calls.analytics(days).path).not.toContain('product_id');
  });

  it('say what they are about, and the parameters of an answer that is kept', () => {
    const batch = { interactions: [{ id: 'i', type: 'cart_intent' as const, sku: 's', at: '' }] };
    const days = { start_date: '2026-05-01', end_date: '2026-05-02' };
    const catalog = { about: { catalogId: 'c' }, query: { catalog_id: 'c' } };
    expect(calls.importShades({ catalog_id: 'c', shades: [] }).about).toEqual({ catalogId: 'c', items: 0 });
    expect(calls.interact(channel, 'x', batch).about).toEqual({ sessionId: 'x', items: 1, batch });
    expect(calls.readSession('x')).toMatchObject({ about: { sessionId: 'x' }, query: { session_id: 'x' } });
    expect(calls.listShades('c')).toMatchObject(catalog);
    expect(calls.nextShades('c', '/p2')).toMatchObject({
      ...catalog,
      path: '/p2',
      query: { catalog_id: 'c', path: '/p2' },
    });
    expect(calls.analytics(days)).toMatchObject({ about: {}, query: days });
    expect(calls.analytics({ ...days, product_id: 'p' }).about).toEqual({ productId: 'p' });
  });

  it('carry any id through a path or a query unharmed', () => {
    const anyText = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(anyText, (id) => {
        const url = (call: calls.Call): URL => new URL(`http://h/v1${call.path}`);
        const last = (path: string): string => decodeURIComponent(path.split('/')[3] ?? '');
        // A path segment of one or two dots is not a name in any encoding (WHATWG URL), so it cannot be requested.
        if (!/^\.{1,2}$/.test(id)) expect(last(url(calls.readSession(id)).pathname)).toBe(id);
        expect(url(calls.listShades(id)).searchParams.get('catalog_id')).toBe(id);
        const query = { start_date: id, end_date: id, product_id: id };
        expect(Object.fromEntries(url(calls.analytics(query)).searchParams)).toEqual(query);
        if (!/^\.{1,2}$/.test(id)) {
          const path = url(calls.interact(channel, id, { interactions: [] })).pathname;
          expect([last(path), path.endsWith('/interactions')]).toEqual([id, true]);
        }
      }),
    );
  });

  it('put a session id into a channel path literally, whatever a replacement pattern would make of it', () => {
    expect(calls.interact(channel, "$&$1$'", { interactions: [] }).path).toBe(
      `/sessions/${encodeURIComponent("$&$1$'")}/interactions`,
    );
  });
});
