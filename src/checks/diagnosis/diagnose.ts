import type { CheckId } from '../../vocabulary/check-ids.ts';
import {
  areaOf,
  type Cause,
  causeKinds,
  causeText,
  consequencesOf,
  keyOf,
  kindOf,
  type Suspect,
} from '../causes/cause.ts';
import { wrongSums } from '../causes/explained.ts';
import { rateLimitSymptoms } from '../causes/rate-limit-symptoms.ts';
import type { CheckResult } from '../core/verdict.ts';
import type { Diagnosed, Diagnosis } from './diagnosis.ts';

/** How far one check's word goes. Ours. */
const trust = { shown: 0.9, fits: 0.6 } as const;
/** No number of checks makes a cause certain. */
const mostConfidence = 0.99;
/** What a cause keeps of its confidence for each check that contradicts it. Ours. */
const contradicted = 0.3;

/**
 * Explains failed checks by as few causes as possible. A cause explains the checks that name it, those that name only its
 * symptoms (what a passed check contradicts apart), and those that name nothing and are among its consequences. The cause that
 * explains most comes first.
 * Pure.
 */
export function diagnose(results: readonly CheckResult[]): Diagnosis {
  const failed = results.filter(({ verdict }) => verdict === 'fail');
  const passed = new Set(results.filter(({ verdict }) => verdict === 'pass').map(({ id }) => id));
  const causes = fewest(
    candidatesOf(failed).map((each) => weigh(each, failed, passed)),
    failed,
  );
  const explained = new Set(causes.flatMap(({ checks }) => checks));
  return {
    causes: [...causes, ...generatorCauses(results)],
    unexplained: failed.map(({ id }) => id).filter((id) => !explained.has(id)),
  };
}

/** Causes in the generator, which leave checks inconclusive. They come last: a failure says more. */
function generatorCauses(results: readonly CheckResult[]): Diagnosed[] {
  const doubted = results
    .filter(({ verdict }) => verdict === 'inconclusive')
    .map((result) => ({
      ...result,
      causes: (result.causes ?? []).filter(({ cause }) => areaOf(cause) === 'generator'),
    }))
    .filter(({ causes }) => causes.length > 0);
  const candidates = candidatesOf(doubted).map((each) => weigh(each, doubted, new Set()));
  return fewest(candidates, doubted).map((each) => ({ ...each, explains: 'inconclusive' }));
}

/** As few of the candidates as explain the results, the best first. */
function fewest(candidates: readonly Diagnosed[], results: readonly CheckResult[]): Diagnosed[] {
  const chosen: Diagnosed[] = [];
  let open = new Set(results.map(({ id }) => id));
  for (;;) {
    const best = bestOf(candidates, open);
    if (best === undefined) return chosen;
    chosen.push(best);
    const explained = new Set(best.checks);
    open = new Set([...open].filter((id) => !explained.has(id)));
  }
}

interface CandidateCause {
  readonly cause: Cause;
  readonly namedBy: readonly { readonly id: CheckId; readonly suspect: Suspect }[];
}

/** Each cause that a failed check names, once. */
function candidatesOf(failed: readonly CheckResult[]): CandidateCause[] {
  const byKey = new Map<string, { cause: Cause; namedBy: { id: CheckId; suspect: Suspect }[] }>();
  for (const { causes = [], id } of failed) {
    for (const suspect of causes) {
      const key = keyOf(suspect.cause);
      const known = byKey.get(key);
      if (known === undefined) byKey.set(key, { cause: suspect.cause, namedBy: [{ id, suspect }] });
      else known.namedBy.push({ id, suspect });
    }
  }
  return [...byKey.values()].map(({ cause, namedBy }) => {
    // A check that names a cause twice, for two keys, makes it no surer.
    const surest = namedBy.toSorted((a, b) => trust[b.suspect.strength] - trust[a.suspect.strength]);
    const once = surest.filter(({ id }, at) => surest.findIndex((each) => each.id === id) === at);
    // The surest check knows the parameters best; of several, one that judges this property and not another one.
    const [first] = surest;
    const own = new Set<CheckId>(consequencesOf(cause));
    const best = surest.find(
      ({ id, suspect }) => suspect.strength === first?.suspect.strength && own.has(id),
    );
    return { cause: (best ?? first)?.suspect.cause ?? cause, namedBy: once };
  });
}

function weigh(
  { cause, namedBy }: CandidateCause,
  failed: readonly CheckResult[],
  passed: ReadonlySet<CheckId>,
): Diagnosed {
  const { behind, contradictedBy = [] } = kindOf(cause);
  const covers = symptomsOf(cause);
  const consequences = new Set(consequencesOf(cause));
  const naming = new Set(namedBy.map(({ id }) => id));
  const others = failed
    .filter(({ causes = [], id }) =>
      causes.length === 0
        ? consequences.has(id)
        : !naming.has(id) && possible(causes, passed).every((each) => covers.includes(each.cause.code)),
    )
    .map(({ id }) => id);
  const against = contradictedBy.filter((id) => passed.has(id));
  const doubt = namedBy.reduce((left, { suspect }) => left * (1 - trust[suspect.strength]), 1);
  return {
    cause,
    text: causeText(cause),
    behind,
    explains: 'fail',
    checks: [...naming, ...others],
    confidence: Math.min(
      mostConfidence,
      Math.round((1 - doubt) * contradicted ** against.length * 100) / 100,
    ),
    contradictedBy: against,
    seqs: [...new Set(namedBy.flatMap(({ suspect }) => suspect.seqs ?? []))].slice(0, 4),
  };
}

/** What a check names, without what a passed check contradicts; all of it if nothing else is left. */
function possible(suspects: readonly Suspect[], passed: ReadonlySet<CheckId>): readonly Suspect[] {
  const left = suspects.filter(
    ({ cause }) => !(kindOf(cause).contradictedBy ?? []).some((id) => passed.has(id)),
  );
  return left.length === 0 ? suspects : left;
}

const codes = Object.keys(causeKinds);

/** Codes of what is only a symptom of a cause. */
function symptomsOf(cause: Cause): readonly string[] {
  const { alsoCovers, covers = [] } = kindOf(cause);
  return [...covers, ...(alsoCovers?.(cause.params) ?? [])];
}

/** What is seen where sums are wrong, or a limiter is: no cause, but what a cause leads to. */
const seen: ReadonlySet<string> = new Set([...wrongSums, ...Object.keys(rateLimitSymptoms)]);

/**
 * The candidate that explains most of what is open, by its confidence; among equals the catalogue's first. What is
 * only seen does not come before what leads to it and explains more, however many checks name it.
 */
function bestOf(candidates: readonly Diagnosed[], open: ReadonlySet<CheckId>): Diagnosed | undefined {
  const openOf = ({ checks }: Diagnosed): readonly CheckId[] => checks.filter((id) => open.has(id));
  const isSymptom = (each: Diagnosed): boolean =>
    seen.has(each.cause.code) &&
    candidates.some(
      (other) =>
        other.contradictedBy.length === 0 &&
        symptomsOf(other.cause).includes(each.cause.code) &&
        openOf(each).every((id) => other.checks.includes(id)) &&
        openOf(other).length > openOf(each).length,
    );
  const worth = (each: Diagnosed): number => openOf(each).length * each.confidence;
  return candidates
    .filter((each) => worth(each) > 0 && !isSymptom(each))
    .toSorted((a, b) => worth(b) - worth(a) || codes.indexOf(a.cause.code) - codes.indexOf(b.cause.code))[0];
}
