import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cap, Ledger } from '../../src/drive/record/ledger.ts';

const spender = new URL('./fixtures/spender.ts', import.meta.url);

async function spend(ledger: Ledger, cap: Cap, isForSessions: boolean): Promise<number[]> {
  const workerData = { memory: ledger.memory, cap, isForSessions };
  const [{ seqs }] = (await once(new Worker(spender, { workerData }), 'message')) as [{ seqs: number[] }];
  return seqs;
}

describe('the ledger of a load', () => {
  it.each<[string, Cap]>([
    ['requests', { requests: 20_000, sessions: Number.POSITIVE_INFINITY }],
    ['sessions', { requests: Number.POSITIVE_INFINITY, sessions: 10_000 }],
  ])(
    'is spent to the last of its %s by threads that all want more, and gives out each number once',
    async (of, cap) => {
      const ledger = new Ledger();
      const seqs = await Promise.all([1, 2, 3].map(() => spend(ledger, cap, of === 'sessions')));
      expect(of === 'sessions' ? ledger.sessionsSent : ledger.requestsSent).toBe(
        of === 'sessions' ? cap.sessions : cap.requests,
      );
      const all = seqs.flat().toSorted((a, b) => a - b);
      expect(all).toEqual(Array.from({ length: ledger.requestsSent }, (_, n) => n + 1));
      expect([ledger.inFlight, ledger.stopped]).toEqual([0, 'cap']);
    },
  );

  it('never gives out more than either cap, in whatever order sessions and other requests come', () => {
    fc.assert(
      fc.property(fc.nat(20), fc.nat(20), fc.array(fc.boolean()), (requests, sessions, wishes) => {
        const ledger = new Ledger();
        const cap = { requests: requests + 1, sessions: sessions + 1 };
        const granted = wishes.filter(
          (isSession) => ledger.stopped === undefined && ledger.spend(isSession, cap),
        );
        const isFull = granted.length === cap.requests || granted.filter(Boolean).length === cap.sessions;
        expect(granted.length).toBeLessThanOrEqual(cap.requests);
        expect(granted.filter(Boolean).length).toBeLessThanOrEqual(cap.sessions);
        expect(granted.length === wishes.length || isFull).toBe(true);
        expect(ledger.stopped).toBe(isFull ? 'cap' : undefined);
      }),
    );
  });

  it('holds the cap over what was spent before the load and beside it, too', () => {
    const ledger = new Ledger();
    const cap = { requests: 5, sessions: 5 };
    ledger.noteOthers(2);
    expect([ledger.spend(false, cap), ledger.spendBeside(cap), ledger.left(cap)]).toEqual([true, true, 1]);
    expect([ledger.spend(true, cap), ledger.stopped]).toEqual([true, 'cap']);
    expect([ledger.spend(false, cap), ledger.spendBeside(cap)]).toEqual([false, false]);
    expect([ledger.requestsSent, ledger.sessionsSent, ledger.left(cap)]).toEqual([2, 1, 0]);
  });

  it('holds the cap on sessions over those of closed loops, too', () => {
    const ledger = new Ledger();
    const cap = { requests: 100, sessions: 5 };
    ledger.noteOthers(4, 4);
    expect([ledger.spend(true, cap), ledger.spend(true, cap), ledger.sessionsSent]).toEqual([true, false, 5]);
  });

  it('lets no more in flight than the bound, and keeps the first reason to stop', () => {
    const ledger = new Ledger();
    expect([ledger.enter(2), ledger.enter(2), ledger.enter(2), ledger.inFlight]).toEqual([
      true,
      true,
      false,
      2,
    ]);
    ledger.leave();
    expect(ledger.enter(2)).toBe(true);
    ledger.stopped = 'interrupted';
    ledger.stopped = 'error';
    expect(new Ledger(ledger.memory).stopped).toBe('interrupted');
  });
});
