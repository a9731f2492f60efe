import { describe, expect, it } from 'vitest';
import { type Call, createSession, eventsPath, interact, Openings } from '../../../src/target/calls.ts';
import { RequestWriter } from '../../../src/target/http/request.ts';
import { usualChannel } from '../../../src/target/profile.ts';

const headers = { accept: 'application/json' };

function written(call: Call, writer = new RequestWriter('host'), traceparent?: string): string {
  const { body = null, method, path, shared } = call;
  return String(
    writer.write({ method, path, headers, authorization: 'Bearer k', traceparent, body, shared }),
  );
}

describe('a request that is like another', () => {
  it('has the text that it would have alone, also with a trace and beyond ASCII', () => {
    const writer = new RequestWriter('host');
    const openings = new Openings();
    const path = eventsPath(usualChannel, 'é/1');
    for (const sku of ['a', 'é', 'b'])
      for (const trace of [undefined, '00-1', undefined, '00-2']) {
        const session = { product_id: sku, catalog_id: 'c', locale: 'en-GB' };
        expect(written(openings.of(sku, 'c', 'en-GB'), writer, trace)).toBe(
          written(createSession(session), new RequestWriter('host'), trace),
        );
        const batch = {
          interactions: [{ id: `${sku}-${trace}`, type: 'shade_selected', sku, at: 'now' }],
        } as const;
        expect(written(interact(usualChannel, 'é/1', batch, path), writer, trace)).toBe(
          written(interact(usualChannel, 'é/1', batch), new RequestWriter('host'), trace),
        );
      }
  });

  it('is the same call where product, catalog and locale are the same', () => {
    const openings = new Openings();
    const first = openings.of('p', 'c', 'en-GB');
    expect(openings.of('p', 'c', 'en-GB')).toBe(first);
    for (const other of [
      ['q', 'c', 'en-GB'],
      ['p', 'd', 'en-GB'],
      ['p', 'c', 'fr-FR'],
    ] as const) {
      const [product_id, catalog_id, locale] = other;
      expect(openings.of(product_id, catalog_id, locale)).toMatchObject(
        createSession({ product_id, catalog_id, locale }),
      );
    }
  });
});
