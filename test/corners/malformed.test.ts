import { describe, expect, it } from 'vitest';
import {
  type Malformed,
  type MalformedIds,
  malformedRequests,
  malformedWire,
  validEvent,
} from '../../src/corners/malformed.ts';

const ids: MalformedIds = {
  unique: 'u',
  importInto: 'new',
  catalogId: 'c1',
  sku: 'A',
  productId: 'p1',
  finish: 'matte',
  locale: 'en-GB',
  at: '2026-05-01T12:00:00Z',
  start_date: '2026-05-01',
  end_date: '2026-05-02',
  eventId: () => 'e1',
};

const wireOf = (each: Malformed): ReturnType<typeof malformedWire> =>
  malformedWire(each, ids, '/channel', [validEvent(ids)]);

/** The same request without a fault. */
const whole = (each: Malformed): unknown =>
  JSON.parse(wireOf({ ...each, fault: 'absent', field: 'no such field' }).body ?? 'null');

/** The places at which two JSON values differ. */
function differences(a: unknown, b: unknown, path = ''): string[] {
  const isNested = (each: unknown): each is object => typeof each === 'object' && each !== null;
  const areAlike = isNested(a) && isNested(b) && Array.isArray(a) === Array.isArray(b);
  if (!areAlike) return JSON.stringify(a) === JSON.stringify(b) ? [] : [path];
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return names.flatMap((name) =>
    differences(a[name as keyof typeof a], b[name as keyof typeof b], `${path}/${name}`),
  );
}

describe('the malformed requests', () => {
  it('differ from one another', () => {
    expect(
      new Set(malformedRequests.map((each) => JSON.stringify({ ...each, from: 0, isEarly: 0 }))).size,
    ).toBe(malformedRequests.length);
  });

  it.each(malformedRequests.filter(({ field }) => field !== 'body'))(
    '$endpoint with $fault in $field have that fault alone',
    (each) => {
      const { body, path } = wireOf(each);
      if (body === undefined) expect(path).toMatch(/^\/(shades|sessions\/|analytics\/sessions\?)/);
      else {
        const sent: unknown = JSON.parse(body);
        // The names of an import's shades tell the fault.
        const found = differences(sent, whole(each)).filter(
          (place) => !/\/(sku|name)$/.test(place) || place.endsWith(`1/${each.field}`),
        );
        expect(found).toHaveLength(1);
        expect(found[0]?.endsWith(`/${each.field}`)).toBe(true);
      }
    },
  );

  it('have broken percent-encoding that no client mends', () => {
    const encoded = malformedRequests.filter(({ fault }) => fault.startsWith('percent-'));
    for (const each of encoded) expect(() => decodeURIComponent(wireOf(each).path)).toThrow(URIError);
  });

  it('send of each field at least one fault in set-up or after the load, and of most one in set-up', () => {
    const fields = new Set(malformedRequests.map(({ endpoint, field }) => `${endpoint} ${field}`));
    const inSetUp = malformedRequests.filter(({ isEarly }) => isEarly);
    expect(new Set(inSetUp.map(({ endpoint, field }) => `${endpoint} ${field}`)).size).toBe(inSetUp.length);
    expect(inSetUp.length).toBe(fields.size - 3);
  });

  it('send each fault at the first reach, whatever the profile promises of events', () => {
    const faults = (rows: readonly Malformed[]): string[] => [...new Set(rows.map(({ fault }) => fault))];
    const first = malformedRequests.filter(
      ({ endpoint, from }) => from === 'single' && endpoint !== 'interact',
    );
    expect(faults(first).toSorted()).toEqual(faults(malformedRequests).toSorted());
    const fields = new Set(malformedRequests.map(({ endpoint, field }) => `${endpoint} ${field}`));
    expect(malformedRequests.filter(({ from }) => from === 'single').length).toBeLessThan(
      fields.size + faults(malformedRequests).length,
    );
  });
});
