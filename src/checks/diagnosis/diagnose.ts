import type { CheckId } from '../../vocabulary/check-ids.ts';
import {
  areaOf,
  behindOf,
  type Cause,
  type CauseCode,
  causeKinds,
  causeText,
  consequencesOf,
  isRow,
  keyOf,
  kindOf,
  type Suspect,
  symptomsOf,
} from '../causes/cause.ts';
import { wrongSums } from '../causes/explained.ts';
import { rateLimitSymptoms } from '../causes/rate-limit-symptoms.ts';
import type { CheckResult } from '../core/verdict.ts';
import type { Diagnosed, Diagnosis } from './diagnosis.ts';

/** How far one check's word goes in the order of causes. No probabilities, and never published. Ours. */
const trust = { shown: 0.9, fits: 0.6, loose: 0.2 } as const;
/** What a cause keeps of its place for each check that contradicts it. Ours. */
const contradicted = 0.3;
/** Texts of one code beyond these are counted. */
const mostTexts = 3;
/** Other explanations that are named. */
const mostAlternatives = 3;

/**
 * Explains failed checks by as few causes as possible. A cause explains the checks that name it, those that name only its
 * symptoms (what a passed check contradicts apart), and those that name nothing and are among its consequences. The cause that
 * explains most comes first, and each code once, with all that it is about.
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

/** A cause that may be chosen, and its place among others. */
interface Candidate extends Omit<Diagnosed, 'also' | 'alternatives' | 'explains'> {
  readonly weight: number;
}

/** As few of the candidates as explain the results, the best first. */
function fewest(candidates: readonly Candidate[], results: readonly CheckResult[]): Diagnosed[] {
  const chosen: (Candidate & Pick<Diagnosed, 'alternatives'>)[] = [];
  let open = new Set(results.map(({ id }) => id));
  for (;;) {
    const best = bestOf(candidates, open);
    if (best === undefined) break;
    chosen.push({ ...best, alternatives: alternativesTo(best, candidates, open) });
    const explained = new Set(best.checks);
    open = new Set([...open].filter((id) => !explained.has(id)));
  }
  return [...Map.groupBy(chosen, ({ cause }) => cause.code).values()].flatMap((alike) =>
    merged(alike, candidates),
  );
}

/** What else explains as much, where the cause only fits. What it covers is no other explanation, but other users are. */
function alternativesTo(
  best: Candidate,
  candidates: readonly Candidate[],
  open: ReadonlySet<CheckId>,
): string[] {
  if (best.certainty === 'shown') return [];
  const { orElse } = kindOf(best.cause);
  const explained = best.checks.filter((id) => open.has(id));
  const others = candidates.filter(
    ({ cause, checks, contradictedBy }) =>
      cause.code !== best.cause.code &&
      contradictedBy.length === 0 &&
      (vaguest.has(cause.code) || !symptomsOf(best.cause).includes(cause.code)) &&
      !seen.has(cause.code) &&
      explained.every((id) => checks.includes(id)),
  );
  const texts = others.toSorted((a, b) => b.weight - a.weight).map(({ text }) => text);
  return [...(orElse === undefined ? [] : [orElse]), ...new Set(texts)].slice(0, mostAlternatives);
}

/** Codes of which a check names several that cannot all be true. */
const exclusive: ReadonlySet<string> = new Set(['profile-false', 'convention-differs']);

/** Causes of one code as one, with those that a check named beside one of them. */
function merged(
  alike: readonly (Candidate & Pick<Diagnosed, 'alternatives'>)[],
  candidates: readonly Candidate[],
): Diagnosed[] {
  const [first] = alike;
  if (first === undefined) return [];
  const explained = new Set(alike.flatMap(({ checks }) => checks));
  const isBeside = ({ cause, certainty, checks }: Candidate): boolean =>
    cause.code === first.cause.code &&
    certainty === first.certainty &&
    !exclusive.has(cause.code) &&
    !alike.some((each) => keyOf(each.cause) === keyOf(cause)) &&
    checks.every((id) => explained.has(id));
  const all: readonly Candidate[] = [...alike, ...candidates.filter(isBeside)];
  const texts = all.map(({ text }) => text);
  const { alternatives, behind, cause, contradictedBy } = first;
  return [
    {
      cause,
      also: all.slice(1).map((each) => each.cause),
      text: [
        ...texts.slice(0, mostTexts),
        ...(texts.length > mostTexts ? [`${texts.length - mostTexts} others are in verdicts.json.`] : []),
      ].join(' '),
      behind,
      explains: 'fail',
      checks: [...explained],
      certainty: all.every(({ certainty }) => certainty === 'shown') ? 'shown' : 'fits',
      alternatives,
      contradictedBy,
      seqs: [...new Set(all.flatMap(({ seqs }) => seqs))].slice(0, 4),
    },
  ];
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
): Candidate {
  const { contradictedBy = [] } = kindOf(cause);
  const consequences = new Set(consequencesOf(cause));
  const naming = new Set(namedBy.map(({ id }) => id));
  const others = failed
    .filter(({ causes = [], id }) =>
      causes.length === 0
        ? consequences.has(id)
        : !naming.has(id) && possible(causes, passed).every((each) => isSymptomOf(cause, each)),
    )
    .map(({ id }) => id);
  const against = contradictedBy.filter((id) => passed.has(id));
  // What fits much else is no surer where several checks name it.
  const isLoose = namedBy.every(({ suspect }) => suspect.strength === 'loose');
  const doubt = isLoose
    ? 1 - trust.loose
    : namedBy.reduce((left, { suspect }) => left * (1 - trust[suspect.strength]), 1);
  const isShown = against.length === 0 && namedBy.some(({ suspect }) => suspect.strength === 'shown');
  const certainty = isShown ? 'shown' : 'fits';
  return {
    cause,
    text: causeText(cause, certainty),
    behind: behindOf(cause),
    checks: [...naming, ...others],
    certainty,
    weight: (1 - doubt) * contradicted ** against.length,
    contradictedBy: against,
    seqs: [...new Set(namedBy.flatMap(({ suspect }) => suspect.seqs ?? []))].slice(0, 4),
  };
}

/** What those that go wrong have in common is drawn from some answers: it may come of a row of the model, which explains all. */
const drawnFromSome: ReadonlySet<string> = new Set(['depends-on-value', 'every-nth-event-lost']);

/** What is seen where a field of analytics is wrong. */
const wrongFields: Readonly<Record<string, string>> = {
  total_sessions: 'sessions-counted-wrong',
  top_shades: 'selections-counted-wrong',
  avg_shades_per_session: 'mean-wrong',
  cart_intent_rate: 'mean-wrong',
};

/** What a suspect says, and what it says less precisely: that events are lost, or that a field is wrong. */
function seenAs({ cause, strength }: Suspect): readonly string[] {
  if (strength === 'shown') return [cause.code];
  if (isRow(cause)) return [cause.code, ...symptomsOf(cause)];
  if (cause.code === 'depends-on-value' && cause.params.what === 'event')
    return [cause.code, 'interactions-lost'];
  const field = cause.code === 'answers-unexplained' ? wrongFields[cause.params.of] : undefined;
  return field === undefined ? [cause.code] : [cause.code, field];
}

/** Causes by which there are too few, or too many: one of the other kind is no symptom of them. */
const oneSided: { readonly [Code in CauseCode]?: 'few' | 'many' } = {
  'sessions-counted-in-part': 'few',
  'events-not-counted': 'few',
  'interactions-lost': 'few',
  'sessions-counted-again': 'many',
  'repeats-counted': 'many',
  'event-stored-again': 'many',
};

/** Whether what is counted is wrong in the direction in which a cause makes it wrong. */
function isOnSideOf(cause: Cause, { cause: named }: Suspect): boolean {
  const side = oneSided[cause.code];
  const isSum = named.code === 'sessions-counted-wrong' || named.code === 'selections-counted-wrong';
  if (side === undefined || !isSum || isRow(named)) return true;
  const { counted, expected } = named.params;
  return counted === expected || counted > expected === (side === 'many');
}

/** Whether what a check names is only seen because of a cause. */
function isSymptomOf(cause: Cause, suspect: Suspect): boolean {
  const isOfRow = isRow(suspect.cause) && suspect.strength !== 'loose';
  if (isOfRow && !isRow(cause) && (drawnFromSome.has(cause.code) || seen.has(cause.code))) return false;
  const symptoms = symptomsOf(cause);
  return isOnSideOf(cause, suspect) && seenAs(suspect).some((code) => symptoms.includes(code));
}

/** What a check names, without what a passed check contradicts; all of it if nothing else is left. */
function possible(suspects: readonly Suspect[], passed: ReadonlySet<CheckId>): readonly Suspect[] {
  const left = suspects.filter(
    ({ cause }) => !(kindOf(cause).contradictedBy ?? []).some((id) => passed.has(id)),
  );
  return left.length === 0 ? suspects : left;
}

const codes = Object.keys(causeKinds);

/** What is seen where sums are wrong, or a limiter is: no cause, but what a cause leads to. */
const seen: ReadonlySet<string> = new Set([...wrongSums, ...Object.keys(rateLimitSymptoms)]);

/** What can explain nearly anything comes last among what explains as much. */
const vaguest: ReadonlySet<string> = new Set(['other-users-of-key']);

/**
 * The candidate that explains most of what is open, by its weight; among equals the catalogue's first. What is only seen
 * does not come before what leads to it and explains more, however many checks name it, nor the vaguest before anything
 * that explains as much.
 */
function bestOf(candidates: readonly Candidate[], open: ReadonlySet<CheckId>): Candidate | undefined {
  const openOf = ({ checks }: Candidate): readonly CheckId[] => checks.filter((id) => open.has(id));
  const isBehind = (each: Candidate): boolean =>
    (seen.has(each.cause.code) || vaguest.has(each.cause.code)) &&
    candidates.some(
      (other) =>
        other.contradictedBy.length === 0 &&
        openOf(each).every((id) => other.checks.includes(id)) &&
        (vaguest.has(each.cause.code)
          ? other.cause.code !== each.cause.code
          : symptomsOf(other.cause).includes(each.cause.code) &&
            !vaguest.has(other.cause.code) &&
            openOf(other).length > openOf(each).length),
    );
  const worth = (each: Candidate): number => openOf(each).length * each.weight;
  return candidates
    .filter((each) => worth(each) > 0 && !isBehind(each))
    .toSorted((a, b) => worth(b) - worth(a) || codes.indexOf(a.cause.code) - codes.indexOf(b.cause.code))[0];
}
