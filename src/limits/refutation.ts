import { number } from '../amounts.ts';
import type { BoxSearch } from './box-search.ts';
import type { Hypothesis } from './hypotheses.ts';
import type { Refuted } from './inference.ts';
import { seqAt } from './trace.ts';
import type { View } from './view.ts';

/** Why nothing in the search explains the answers, by the contradiction that comes nearest to being none. */
export function refutationOf(
  views: readonly View[],
  hypothesis: Hypothesis,
  { nearest }: BoxSearch,
): Refuted {
  const algorithm = hypothesis.id;
  if (nearest === undefined) return { algorithm, because: 'No hypothesis was tested.', evidence: [] };
  const { range, scale } = nearest;
  const evidence = [range.minSetBy, range.maxSetBy].flatMap((index) => seqOf(views, index));
  const [admission, refusal] = evidence;
  const span = describe(hypothesis, (scale.loNs + scale.hiNs) / 2);
  const because =
    admission === undefined || refusal === undefined
      ? `A ${hypothesis.name} does not explain the answers, ${span}.`
      : admission === refusal
        ? `A ${hypothesis.name} fits best ${span}. No limit then explains the answer to request ${admission}.`
        : `A ${hypothesis.name} fits best ${span}. Admitting request ${admission} then needs a limit of at least ${number(range.min)}, and rejecting request ${refusal} one of at most ${number(range.max)}.`;
  return { algorithm, because, evidence };
}

/** The `seq` of the request at an index that counts through all traces. */
export function seqOf(views: readonly View[], index: number): number[] {
  const view = views.findLast(({ base }) => base <= index);
  return view === undefined || index < 0 ? [] : [seqAt(view.trace, index - view.base)];
}

function describe({ mechanism }: Hypothesis, scaleNs: number): string {
  const isBucket = mechanism.kind === 'bucket' || mechanism.kind === 'lumps';
  return isBucket
    ? `with ${number(Number((1e9 / scaleNs).toPrecision(3)))} tokens a second`
    : `with a window of ${number(Number((scaleNs / 1e9).toPrecision(3)))} s`;
}
