import fc from 'fast-check';
import type { InteractionRecord } from '../../../src/history/record.ts';
import { type SampleHistory, type SampleRequest, sampleRun } from '../../history/sample.ts';
import type { UncertainSession } from './naive.ts';

/** A small history: each of these is one product of a big one, so that a single load into DuckDB judges hundreds. */
export interface Small {
  readonly sessions: readonly SmallSession[];
}

interface SmallSession {
  readonly outcome: 'granted' | 'lost' | 'failed' | 'refused' | 'not-sent' | 'no-id';
  /** Milliseconds from the midnight that ends the period; the clock may be off by 2,000. */
  readonly fromMidnightMs: number;
  readonly acts: readonly SmallAct[];
  /** Read back after all acts, and what it then showed decided what happened. */
  readonly read: 'no' | 'late' | 'soon' | 'without-ids';
}

interface SmallAct {
  readonly sku: string;
  readonly type: 'shade_selected' | 'cart_intent';
  readonly outcome: 'accepted' | 'lost' | 'lost-but-arrived' | 'refused';
  /** The same act again, in a request that is accepted. */
  readonly repeated: boolean;
  /** After the act before it, or the session's creation. */
  readonly afterMs: number;
}

/** Small histories of up to so many sessions, and acts in each, that are so far apart. */
export function small(limits: {
  sessions: number;
  acts: number;
  afterMs: readonly number[];
}): fc.Arbitrary<Small> {
  const act: fc.Arbitrary<SmallAct> = fc.record({
    sku: fc.constantFrom('A', 'B', "C'"),
    type: fc.constantFrom('shade_selected', 'shade_selected', 'shade_selected', 'cart_intent'),
    outcome: fc.constantFrom('accepted', 'accepted', 'accepted', 'lost', 'lost-but-arrived', 'refused'),
    repeated: fc.boolean(),
    afterMs: fc.constantFrom(...limits.afterMs),
  });
  const session: fc.Arbitrary<SmallSession> = fc.record({
    outcome: fc.constantFrom(
      'granted',
      'granted',
      'granted',
      'granted',
      'lost',
      'failed',
      'refused',
      'not-sent',
      'no-id',
    ),
    fromMidnightMs: fc.constantFrom(-3_600_000, -3_600_000, -60_000, -2_500, -1_500, 0, 1_500, 60_000),
    acts: fc.array(act, { maxLength: limits.acts }),
    read: fc.constantFrom('no', 'no', 'late', 'soon', 'without-ids'),
  });
  return fc.record({ sessions: fc.array(session, { maxLength: limits.sessions }) });
}

export const midnightMs = Date.UTC(2026, 4, 2);
export const dayMs = 86_400_000;
const skewMs = 2_000;
/** How long after it was given up on a request may still arrive: what a profile that says nothing waits for an answer. */
const lateMs = 7_000;
const zeroMs = sampleRun.zero_epoch_ms;

/**
 * Writes the small histories as one, each with a product of its own, and says for each what is known of it, where requests
 * may have been delivered so often again.
 */
export function combined(
  smalls: readonly Small[],
  redeliveries = 0,
): { history: SampleHistory; known: UncertainSession[][] } {
  const requests: SampleRequest[] = [];
  const interactions: InteractionRecord[] = [];
  const answers: NonNullable<SampleHistory['answers']>[number][] = [];
  let ids = 0;
  const known = smalls.map(({ sessions }, place) => {
    const product = `product ${place}`;
    return sessions.flatMap((one): UncertainSession[] => {
      const sentNs = (midnightMs + one.fromMidnightMs - zeroMs) * 1e6;
      const sessionId = `session ${requests.length + 1}`;
      const granted = one.outcome === 'granted';
      requests.push({
        endpoint: 'create-session',
        productId: product,
        sentNs,
        ...(granted ? { sessionId } : {}),
        ...(one.outcome === 'lost' ? { lost: 'timeout' as const, answeredNs: sentNs + 5e6 } : {}),
        ...(one.outcome === 'not-sent' ? { notSent: 'stopped' as const } : {}),
        ...(one.outcome === 'failed' ? { status: 503 } : {}),
        ...(one.outcome === 'refused' ? { status: 402 } : {}),
        ...(one.outcome === 'no-id' ? { status: 200, problem: 'session_id: expected string' } : {}),
      });
      if (one.outcome === 'not-sent') return [];
      const created = (overMs: number): readonly number[] => instants(sentNs / 1e6, overMs);
      const ungranted = Array.from({ length: redeliveries }, () => ({
        product,
        credential: 'load',
        createdMs: created(5 + lateMs),
        exists: 'ambiguous' as const,
        acts: [],
      }));
      if (one.outcome === 'refused') return ungranted;
      const base = { product, credential: 'load', createdMs: created(granted ? 5 : 5 + lateMs) } as const;
      if (!granted) return [{ ...base, exists: 'ambiguous', acts: [] }, ...ungranted];
      let lastNs = sentNs;
      const acts = one.acts.map((each) => {
        const id = `act ${++ids}`;
        const atNs = lastNs + each.afterMs * 1e6;
        lastNs = atNs;
        const lost = each.outcome.startsWith('lost');
        const carry = (request: Partial<SampleRequest>): void => {
          requests.push({ credential: 'session', sessionId, items: 1, ...request, endpoint: 'interact' });
          interactions.push({ seq: requests.length, sessionId, id, type: each.type, sku: each.sku, at: 'x' });
        };
        carry({
          sentNs: atNs,
          ...(each.outcome === 'accepted' ? { status: 202 } : {}),
          ...(each.outcome === 'refused' ? { status: 422 } : {}),
          ...(lost ? { lost: 'reset' as const, answeredNs: atNs + 5e6 } : {}),
        });
        if (each.repeated && each.outcome !== 'refused') carry({ sentNs: atNs + 6e6, status: 202 });
        const certain = each.outcome === 'accepted' || (each.repeated && lost);
        const state = certain ? 'certain' : lost ? 'ambiguous' : 'never';
        return {
          id,
          type: each.type,
          sku: each.sku,
          state,
          givenUpNs: atNs + 5e6,
          atMs: instants(atNs / 1e6, certain ? (lost ? 11 : 5) : 5 + lateMs),
          arrived: certain || each.outcome === 'lost-but-arrived',
        };
      });
      // Twelve seconds after the last request was given up on, or twenty: soon or late against the seven that it may take to
      // arrive and the ten that it may take to show.
      const readNs = lastNs + 6e6 + 5e6 + (one.read === 'soon' ? 12e9 : 20e9);
      if (one.read !== 'no') {
        requests.push({ endpoint: 'read-session', phase: 'read-back', sessionId, sentNs: readNs });
        const shown = acts.filter(({ arrived }) => arrived);
        answers.push({
          seq: requests.length,
          endpoint: 'read-session',
          query: {},
          body: {
            interactions: shown.map(({ id, type, sku }) =>
              one.read === 'without-ids' ? { type, sku } : { id, type, sku },
            ),
          },
        });
      }
      const happened = (of: (typeof acts)[number]): 'certain' | 'ambiguous' | undefined => {
        if (of.state === 'never') return undefined;
        if (of.state === 'certain') return 'certain';
        if (one.read !== 'no' && of.arrived) return 'certain';
        return one.read !== 'no' && readNs >= of.givenUpNs + 17e9 ? undefined : 'ambiguous';
      };
      return [
        {
          ...base,
          exists: 'certain',
          acts: acts.flatMap((of) => {
            const sure = happened(of);
            return sure === undefined
              ? []
              : [{ id: of.id, type: of.type, sku: of.sku, atMs: of.atMs, happened: sure }];
          }),
        },
        ...ungranted,
      ];
    });
  });
  return { history: { requests, interactions, answers, profile: { redeliveries } }, known };
}

/** The instants at which something may have happened that was sent at a run instant and was over so much later: one for each day. */
function instants(runMs: number, overMs: number): number[] {
  const first = zeroMs + runMs - skewMs;
  const last = zeroMs + runMs + overMs + skewMs;
  return first < midnightMs && last >= midnightMs ? [first, last] : [first];
}
