import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { History } from '../../src/history/history.ts';
import { sessionsSql } from '../../src/history/sessions.ts';
import { type SampleHistory, type SampleRequest, withHistory } from './sample.ts';

const opened = (sessionId: string, more: Partial<SampleRequest> = {}): SampleRequest => ({
  endpoint: 'create-session',
  sessionId,
  ...more,
});
const acted = (sessionId: string, more: Partial<SampleRequest> = {}): SampleRequest => ({
  endpoint: 'interact',
  sessionId,
  ...more,
});

/** Events as `[seq, session, id, sku]`; a SKU that begins with a plus is a cart intent. */
function acts(...rows: readonly (readonly [seq: number, session: string, id: string, sku: string])[]) {
  return rows.map(([seq, sessionId, id, sku]) => ({
    seq,
    sessionId,
    id,
    type: sku.startsWith('+') ? ('cart_intent' as const) : ('shade_selected' as const),
    sku,
    at: '2026-05-01T12:00:00Z',
  }));
}

const row = z.looseObject({ seq: z.number(), again: z.boolean(), acts: z.number() });
const rowsOf = (history: History, from = 'sessions'): Promise<z.output<typeof row>[]> =>
  history.rows(row, `SELECT * REPLACE (list_sort(shades) AS shades) FROM (FROM ${from}) ORDER BY seq`);

const cases: readonly {
  readonly of: string;
  readonly history: SampleHistory;
  readonly says: Readonly<Record<string, unknown>>;
}[] = [
  {
    of: 'one that nothing was done in',
    history: { requests: [opened('s')] },
    says: { granted: true, acts: 0, shades: null, distinct_shades: 0, repeated: false, last_sent_ns: null },
  },
  {
    of: 'one with a shade selected twice',
    history: {
      requests: [opened('s'), acted('s')],
      interactions: acts([2, 's', '1', 'b'], [2, 's', '2', 'b']),
    },
    says: { acts: 2, shades: [0, 0], distinct_shades: 1, repeated: false, late_min: false, late_max: false },
  },
  {
    of: 'one with an interaction sent twice',
    history: {
      requests: [opened('s'), acted('s'), acted('s')],
      interactions: acts([2, 's', '1', 'b'], [3, 's', '1', 'b']),
    },
    says: { acts: 2, repeated: true },
  },
  {
    of: 'one with a request that was refused, which counts for nothing',
    history: {
      requests: [opened('s'), acted('s', { status: 422 })],
      interactions: acts([2, 's', '1', 'b']),
    },
    says: { acts: 0, doubtful: false, last_sent_ns: null },
  },
  {
    of: 'one with a request that got no answer, which leaves it in doubt',
    history: {
      requests: [opened('s'), acted('s', { lost: 'timeout' })],
      interactions: acts([2, 's', '1', 'b']),
    },
    says: { acts: 0, doubtful: true, last_sent_ns: 2e6 },
  },
  {
    of: 'one that ends in the cart, in the same request',
    history: {
      requests: [opened('s'), acted('s')],
      interactions: acts([2, 's', '1', 'b'], [2, 's', '2', '+b']),
    },
    says: { acts: 2, shades: [0], late_min: true, late_max: true },
  },
  {
    of: 'one that goes on after the cart',
    history: {
      requests: [opened('s'), acted('s'), acted('s', { sentNs: 9e6 })],
      interactions: acts([2, 's', '1', '+b'], [3, 's', '2', 'b']),
    },
    says: { late_min: false, late_max: false },
  },
  {
    of: 'one whose last requests crossed on the way',
    history: {
      requests: [opened('s'), acted('s', { sentNs: 4e6 }), acted('s', { sentNs: 5e6 })],
      interactions: acts([2, 's', '1', '+b'], [3, 's', '2', 'b']),
    },
    says: { late_min: false, late_max: true },
  },
  {
    of: 'a POST that got no answer',
    history: { requests: [{ endpoint: 'create-session', lost: 'timeout' }] },
    says: { granted: false, again: false, acts: 0 },
  },
];

describe('what is recorded of a session', () => {
  it.each(cases)('is right of $of', async ({ history, says }) => {
    expect((await withHistory(history, (opened) => rowsOf(opened)))[0]).toMatchObject(says);
  });

  it('is of the first that was granted its id, and of no later one', async () => {
    const rows = await withHistory(
      { requests: [opened('s'), opened('s'), acted('s')], interactions: acts([3, 's', '1', 'b']) },
      (history) => rowsOf(history),
    );
    expect(rows.map(({ again, acts }) => [again, acts])).toEqual([
      [false, 1],
      [true, 0],
    ]);
  });

  it('is the same gathered in parts and all at once', async () => {
    const ids = Array.from({ length: 40 }, (_, place) => `session ${place}`);
    const history: SampleHistory = {
      requests: [
        ...ids.map((id) => opened(id)),
        ...ids.map((id, place) => acted(id, place % 7 === 0 ? { lost: 'timeout' } : {})),
        { endpoint: 'create-session', lost: 'timeout' },
      ],
      interactions: acts(
        ...ids.flatMap((id, place) =>
          Array.from(
            { length: place % 5 },
            (_, act) =>
              [41 + place, id, `${place}-${act}`, act === 3 ? '+c' : `sku ${(place * act) % 6}`] as const,
          ),
        ),
      ),
    };
    await withHistory(history, async (opened) => {
      const parts = await Promise.all(
        [0, 1, 2].map((part) => rowsOf(opened, `(${sessionsSql({ part, parts: 3 })})`)),
      );
      expect(parts.every((rows) => rows.length > 0)).toBe(true);
      expect(parts.flat().sort((a, b) => a.seq - b.seq)).toEqual(await rowsOf(opened));
    });
  });
});
