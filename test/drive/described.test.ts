import { describe, expect, it } from 'vitest';
import { Described } from '../../src/drive/record/headers.ts';
import { mapOf } from '../../src/target/adapt/map.ts';
import { createSession, listShades, readSession, routeOf } from '../../src/target/calls.ts';
import { Exchange } from '../../src/target/exchange.ts';
import { type ProfileInput, profileSchema } from '../../src/target/profile.ts';

const plain = profileSchema.parse({});
const session = createSession({ product_id: 'p', catalog_id: 'c', locale: 'en-GB' });

function answered<E extends Exchange<undefined>>(exchange: E, status: number, body = '{}'): E {
  exchange.onSent();
  exchange.onHead(status, { 'content-type': 'application/json' });
  exchange.onData(Buffer.from(body));
  exchange.onEnd();
  return exchange;
}

const exchangeOf = (call: typeof session): Exchange<undefined> =>
  new Exchange(call, undefined, () => 0, { done: () => {} });

describe('what is kept of answers for a description', () => {
  it.each([
    ['the media type and the headers that it names', { 'x-page': '1', 'x-other': '2' }, { 'x-page': '1' }],
    ['a header that came twice, as one', { 'x-page': ['1', '2'] }, { 'x-page': '1, 2' }],
    ['no secret in a header', { 'x-page': 'key-of-the-shop-1' }, { 'x-page': '[redacted]' }],
    ['no header with the name of a secret', { 'x-token': 'anything' }, { 'x-token': '[redacted]' }],
  ])('is %s', (_, headers, kept) => {
    const described = new Described(['x-page', 'x-token'], plain);
    const wireHeaders = { 'content-type': 'application/json', ...headers };
    const told = { wireHeaders, wireRoute: undefined };
    expect(JSON.parse(described.headersOf(told, ['key-of-the-shop-1']))).toEqual({
      'content-type': 'application/json',
      ...kept,
    });
  });

  it.each([
    ['the first 20 bodies of a list', listShades('c'), 200, 20],
    ['the first 20 rejections of sessions', session, 429, 20],
    ['no body of a new session', session, 200, 0],
  ] as const)('is %s', (_, call, status, most) => {
    const described = new Described([], plain);
    const kept = Array.from({ length: 50 }, () => described.wants(answered(exchangeOf(call), status)));
    expect(kept.filter(Boolean)).toHaveLength(most);
  });

  it('is the route of a request that an adapter made, with names for its values and no secret', () => {
    const { about } = readSession('a/b');
    const path = '/looks/a%2Fb/key-of-the-shop-1?token=1';
    const told = { wireHeaders: {}, wireRoute: `GET ${routeOf(path, about)}` };
    expect(new Described([], plain).headersOf(told, ['key-of-the-shop-1'])).toBe(
      '{":route":"GET /looks/{session_id}/[redacted]"}',
    );
  });

  it('is the body on the wire, where a map reads another one', () => {
    const input: ProfileInput = { map: { list_shades: { answer: { items: [{ sku: '{sku}' }] } } } };
    const profile = profileSchema.parse(input);
    const map = mapOf(profile, new URL('http://127.0.0.1:1/v1'));
    const exchange = new Exchange(listShades('c'), undefined, () => 0, { done: () => {} }, undefined, map);
    answered(exchange, 200, '{"items":[{"sku":"a"}],"token":"t"}');
    expect(exchange.json()).toEqual({ shades: [{ sku: 'a' }] });
    expect(new Described([], profile).bodyOf(exchange, [])).toEqual({
      wire: { items: [{ sku: 'a' }], token: '[redacted]' },
    });
  });
});
