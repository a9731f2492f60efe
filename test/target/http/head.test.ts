import { describe, expect, it } from 'vitest';
import { type Call, createSession, eventsPath, interact, Openings } from '../../../src/target/calls.ts';
import { type Head, HeadReader, readHead } from '../../../src/target/http/head.ts';
import { RequestWriter } from '../../../src/target/http/request.ts';
import { usualChannel } from '../../../src/target/profile.ts';

const head = (...fields: readonly string[]): string => ['HTTP/1.1 200 OK', ...fields].join('\r\n');

describe('the head of an answer', () => {
  it('gives its fields under lower-case names, one that came twice as a list', () => {
    const { headers } = readHead(head('Date:  now ', 'X-A: 1', 'x-a: 2', 'Empty:', '__proto__: 7'));
    expect(Object.entries(headers)).toEqual([
      ['date', 'now'],
      ['x-a', ['1', '2']],
      ['empty', ''],
      ['__proto__', '7'],
    ]);
  });

  it.each<[what: string, text: string, restMs: number]>([
    ['HTTP/1.1', head('content-length: 1'), 4_000],
    ['HTTP/1.1 that wants to close', head('content-length: 1', 'connection: x, Close'), 0],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 1', 0],
    ['HTTP/1.0 that wants to go on', 'HTTP/1.0 200 OK\r\nconnection: Keep-Alive\r\ncontent-length: 1', 4_000],
    ['one that says it keeps it for 5 s', head('content-length: 1', 'keep-alive: timeout=5'), 3_000],
    ['one that says it keeps it for 1 s', head('content-length: 1', 'keep-alive: timeout=1'), 0],
    ['one whose body ends with the connection', head(), 0],
    ['a 204 that announces a body', 'HTTP/1.1 204 No Content\r\ncontent-length: 3', 0],
    ['a plain 204', 'HTTP/1.1 204 No Content', 4_000],
  ])('of %s says how long the connection may rest', (_what, text, restMs) => {
    expect(readHead(text).keepAliveMs).toBe(restMs);
  });

  it('is read once when it comes again, and anew when a character changes', () => {
    const reader = new HeadReader();
    const bytes = (length: number): Buffer => Buffer.from(`${head(`content-length: ${length}`)}\r\n\r\nbody`);
    const known = (length: number): Head | undefined =>
      reader.known(bytes(length), 0, bytes(length).length)?.head;
    expect(known(1)).toBeUndefined();
    const first = reader.read(bytes(1), 0, bytes(1).indexOf('\r\n\r\n')).head;
    expect(first).toMatchObject({ body: 1 });
    expect(known(1)).toBe(first);
    expect(known(2)).toBeUndefined();
    expect(known(12)).toBeUndefined();
    // Its last byte is still to come.
    expect(reader.known(bytes(1), 0, bytes(1).length - 5)).toBeUndefined();
    for (const length of [12, 123, 1_234, 12_345])
      reader.read(bytes(length), 0, bytes(length).indexOf('\r\n\r\n'));
    expect(known(1)).toBeUndefined();
    expect(known(12_345)).toMatchObject({ body: 12_345 });
  });
});

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
