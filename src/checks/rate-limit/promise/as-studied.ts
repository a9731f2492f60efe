import type { Survivor } from '../../../limits/inference.ts';
import { kindOf } from '../../../limits/kinds/table.ts';
import type { Profile } from '../../../target/profile.ts';
import { type CheckFinding, dataOf, withReasons } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { isAsPromised, sizeOf } from '../study/as-promised.ts';
import type { LimiterFindings } from '../study/findings.ts';
import { certain } from '../study/judge-size.ts';
import type { Assumption } from './explanation.ts';
import { ofTheKind } from './others.ts';

/**
 * The load alone is explained by the first simple limiter that fits; a study tells more kinds apart. Where it decided for
 * another, the result says so, so that two names do not stand side by side for one limiter.
 */
export function referToStudy(result: CheckFinding, studied: readonly CheckFinding[]): CheckFinding {
  if (result.id !== 'rate-limit.enforced' || result.verdict !== 'pass') return result;
  const algorithm = studied.find(({ id }) => id === 'rate-limit.algorithm');
  if (algorithm === undefined || algorithm.verdict === 'inconclusive') return result;
  const [name] = dataOf(studied, 'rate-limit.algorithm')?.possible ?? [];
  const named = dataOf([result], 'rate-limit.enforced')?.kinds ?? [];
  if (name === undefined || named.includes(name)) return result;
  return withReasons(result, reason('study-tells-more', { limiter: name }));
}

/** A kind less likely than all others together explains nothing. */
const leastLikely = 0.5;

/** No kind of limiter explains all answers of the study, whatever its size. */
export function isUnknownKind({ inference: { limited, survivors } }: LimiterFindings): boolean {
  return limited > 0 && survivors.reduce((sum, { confidence }) => sum + confidence, 0) < leastLikely;
}

/** The checks of the load name the causes that the study names; where it is not sure enough to name one, they describe its limiter. */
export const asStudied: Assumption = {
  what: 'the limiter is the one that the study found',
  price: 0,
  explains(_, { profile, studied, study }) {
    const best = study?.inference.survivors[0];
    if (study === undefined || study.late !== undefined || best === undefined) return undefined;
    const isSized = isAsPromised(best, profile);
    // A limiter as promised is no cause, unless rejections are what it goes wrong with.
    const isInnocent = best.rejectsCount !== true && isSized;
    if (best.settled === undefined || best.confidence < leastLikely || isInnocent) return undefined;
    const causes = studied
      .filter(({ id, verdict }) => verdict === 'fail' && ofTheKind.includes(id))
      .flatMap(({ causes: own = [] }) => own);
    return {
      // What the study has shown explains the load's answers as well; they alone may have other explanations.
      causes: causes.map((each) => ({ ...each, strength: 'fits' })),
      beside: causes.length > 0 ? [] : likelyLimiter(best, isSized ? profile : undefined),
    };
  },
};

/** `promised`: what is known of a limiter's size may be vague; where the promised size is possible, no other one is named. */
function likelyLimiter(best: Survivor, promised: Pick<Profile, 'rate_limit'> | undefined): Reason[] {
  const { limit, name, refillPerS, settled } = best;
  const confidence = best.confidence < certain ? best.confidence : null;
  if (limit === 1 && refillPerS !== null)
    return [reason('study-finds-no-burst', { everyMs: 1e3 / refillPerS, confidence })];
  const { requests = 0, windowMs = 0 } = promised?.rate_limit ?? {};
  const size = promised === undefined ? sizeOf(best) : { limit: requests, windowMs, refillPerS: null };
  const prolongs = settled !== undefined && kindOf(settled).prolongedBy === 'each rejection';
  return [
    reason('study-finds', { limiter: name, size, confidence }),
    ...(prolongs ? [reason('study-finds-restarts')] : []),
  ];
}
