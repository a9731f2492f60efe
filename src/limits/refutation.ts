import { number } from '../amounts.ts';
import type { BoxSearch } from './box-search.ts';
import type { Refuted } from './inference.ts';
import type { LimiterKind } from './kinds/kind.ts';
import { seqAt } from './trace.ts';
import type { View } from './view.ts';

/** Why nothing in the search explains the answers, by the contradiction that comes nearest to being none. */
export function refutationOf(views: readonly View[], kind: LimiterKind, { nearest }: BoxSearch): Refuted {
  const algorithm = kind.id;
  if (nearest === undefined) return { algorithm, because: 'No hypothesis was tested.', evidence: [] };
  const { range, scale } = nearest;
  const evidence = [range.minSetBy, range.maxSetBy].flatMap((index) => seqOf(views, index));
  const [admission, refusal] = evidence;
  const span = describe(kind, (scale.loNs + scale.hiNs) / 2);
  const because =
    admission === undefined || refusal === undefined
      ? `A ${kind.name} does not explain the answers, ${span}.`
      : admission === refusal
        ? `A ${kind.name} fits best ${span}. No limit then explains the answer to request ${admission}.`
        : `A ${kind.name} fits best ${span}. Admitting request ${admission} then needs a limit of at least ${number(range.min)}, and rejecting request ${refusal} one of at most ${number(range.max)}.`;
  return { algorithm, because, evidence };
}

/** The `seq` of the request at an index that counts through all traces. */
export function seqOf(views: readonly View[], index: number): number[] {
  const view = views.findLast(({ base }) => base <= index);
  return view === undefined || index < 0 ? [] : [seqAt(view.trace, index - view.base)];
}

function describe({ scale }: LimiterKind, scaleNs: number): string {
  return scale === 'token'
    ? `with ${number(Number((1e9 / scaleNs).toPrecision(3)))} tokens a second`
    : `with a window of ${number(Number((scaleNs / 1e9).toPrecision(3)))} s`;
}
