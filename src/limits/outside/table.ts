import type { Refuted } from '../inference.ts';
import { type Contender, isNear, isPlausible } from '../ranking.ts';
import { seqOf } from '../refutation.ts';
import { ambiguous, countOutcome, notRejected, outOfScope, type Trace } from '../trace.ts';
import type { View } from '../view.ts';
import { concurrency } from './concurrency.ts';
import type { Outsider, OutsiderEvidence } from './outsider.ts';
import { fitQueue, queueing, waitedInTurn } from './queueing.ts';
import { severalNodes } from './several-nodes.ts';
import { twoLimits } from './two-limits.ts';

/** No limit at all. */
const none: Outsider = {
  id: 'none',
  name: 'service without a limit',
  explain: ({ isTold, queue, refusal }) => {
    if (refusal !== undefined) return { because: 'Requests were rejected.', evidence: [refusal] };
    if (queue !== undefined) return { because: waitedInTurn(queue), evidence: [] };
    return isTold ? { degreesOfFreedom: 0 } : undefined;
  },
};

/** Explanations other than a limiter of requests per time on one counter, in the order in which they are tried. */
export const outsiders: readonly Outsider[] = [none, queueing, concurrency, twoLimits, severalNodes];

const blank = {
  limit: null,
  windowMs: null,
  burst: null,
  refillPerS: null,
  phase: null,
  rejectsCount: null,
  limitBounds: null,
  windowMsBounds: null,
  mismatches: 0,
  confidence: 0,
} as const;

/** `fewest`: the answers that the best limiter on one counter gets wrong. `bounded`: the queue that rejects, if there is one. */
export function explainOutside(
  views: readonly View[],
  fewest: number,
  given: Pick<OutsiderEvidence, 'windows' | 'intervals' | 'promised' | 'bounded'>,
): { readonly survivors: readonly Contender[]; readonly refuted: readonly Refuted[] } {
  const [refusal] = views.flatMap((view) =>
    view.refused.length > 0 ? seqOf(views, view.base + (view.refused.index[0] as number)) : [],
  );
  const requests = views.reduce((sum, { trace }) => sum + trace.length, 0);
  const queue = fitQueue(views);
  const isTold = areTold(views, queue?.longestMs);
  const survivors: Contender[] = [];
  const refuted: Refuted[] = [];
  for (const { id, name, explain } of outsiders) {
    const wrong = Math.min(fewest, ...survivors.map((each) => each.mismatches));
    const [isOneCounter, isClose] = [isPlausible(wrong, requests), isNear(wrong, requests)];
    const found = explain({ ...given, views, refusal, isTold, queue, isOneCounter, isClose });
    if (found === undefined) continue;
    if ('because' in found) refuted.push({ algorithm: id, ...found });
    else survivors.push({ ...blank, algorithm: id, name, ...found });
  }
  return { survivors, refuted };
}

/** Answers may be unclear by chance for this part of the requests. More may be rejections of an unknown kind. */
const mostUntold = 0.05;

/** A request given up after as long a wait as any may have been in a queue; others without a clear answer do not tell. */
function areTold(views: readonly View[], longestMs = Number.POSITIVE_INFINITY): boolean {
  const inScope = views.reduce((sum, { trace }) => sum + trace.length - countOutcome(trace, outOfScope), 0);
  const untold = views.reduce((sum, { trace }) => sum + unclearSooner(trace, longestMs * 1e6), 0);
  return inScope > 0 && untold <= mostUntold * inScope;
}

function unclearSooner({ answeredNs, outcome, sentNs }: Trace, ns: number): number {
  return outcome.filter(
    (each, i) =>
      (each === ambiguous || each === notRejected) && (answeredNs[i] as number) - (sentNs[i] as number) < ns,
  ).length;
}
