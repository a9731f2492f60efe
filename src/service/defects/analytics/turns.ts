import type { Question } from './altered-report.ts';

/** Alternates between reads of the same question, and between the first reads of different ones. */
export function turns(): (question: Question) => boolean {
  const next = new Map<string, number>();
  return ({ caller, period, productId }) => {
    const question = JSON.stringify([caller.accountId, period, productId]);
    const turn = next.get(question) ?? next.size;
    next.set(question, turn + 1);
    return turn % 2 === 1;
  };
}
