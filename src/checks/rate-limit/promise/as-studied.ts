import type { Survivor } from '../../../limits/inference.ts';
import { kindOf } from '../../../limits/kinds/table.ts';
import type { Profile } from '../../../target/profile.ts';
import type { CheckId } from '../../../vocabulary/check-ids.ts';
import { type CauseCode, caused, type Suspect } from '../../causes/cause.ts';
import { dataOf } from '../../core/check-data.ts';
import { type CheckFinding, withReasons } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { isAsPromised } from '../study/as-promised.ts';
import type { LimiterFindings } from '../study/findings.ts';
import { certain } from '../study/judge-size.ts';

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

/** Checks that a limiter of another kind or size fails. */
const explained: ReadonlySet<CheckId> = new Set<CheckId>([
  'rate-limit.enforced',
  'rate-limit.recovery',
  'rate-limit.wrongful',
]);
/** Checks of the study that name such a limiter as a cause. */
const naming: ReadonlySet<CheckId> = new Set<CheckId>([
  'rate-limit.algorithm',
  'rate-limit.limit',
  'rate-limit.window',
]);
/** A kind less likely than all others together explains nothing. */
const leastLikely = 0.5;

/**
 * The checks of the load know the promised limit alone. Where a study found another limiter, their fails name the cause that
 * the study names; where the study is not sure enough to name one, they describe that limiter.
 */
export function withLikelyLimiter(
  result: CheckFinding,
  {
    studied,
    study,
  }: { readonly studied: readonly CheckFinding[]; readonly study: LimiterFindings | undefined },
  profile: Pick<Profile, 'limiter' | 'rate_limit'>,
): CheckFinding {
  const best = study?.inference.survivors[0];
  if (result.verdict !== 'fail' || !explained.has(result.id) || study === undefined) return result;
  if (isUnknown(study)) return withoutCause(result, 'limit-differs');
  if (study.late !== undefined || best === undefined) return result;
  const isSized = isAsPromised(best, profile);
  // A limiter as promised is no cause, unless rejections are what it goes wrong with.
  const isInnocent = best.rejectsCount !== true && isSized;
  if (best.settled === undefined || best.confidence < leastLikely || isInnocent) return result;
  const found = studied
    .filter(({ id, verdict }) => verdict === 'fail' && naming.has(id))
    .flatMap(({ causes = [] }) => causes);
  return found.length > 0
    ? { ...result, ...caused([...(result.causes ?? []), ...found.map(asLikely)]) }
    : withReasons(result, ...likelyLimiter(best, isSized ? profile : undefined));
}

/** No kind of limiter explains all answers of the study, whatever its size. */
function isUnknown({ inference: { limited, survivors } }: LimiterFindings): boolean {
  return limited > 0 && survivors.reduce((sum, { confidence }) => sum + confidence, 0) < leastLikely;
}

function withoutCause({ causes = [], ...finding }: CheckFinding, code: CauseCode): CheckFinding {
  return { ...finding, ...caused(causes.filter(({ cause }) => cause.code !== code)) };
}

/** What the study has shown explains the load's answers as well; they alone may have other explanations. */
function asLikely(suspect: Suspect): Suspect {
  return { ...suspect, strength: 'fits' };
}

/** `promised`: what is known of a limiter's size may be vague; where the promised size is possible, no other one is named. */
function likelyLimiter(best: Survivor, promised: Pick<Profile, 'rate_limit'> | undefined): Reason[] {
  const { limit, name, refillPerS, settled, windowMs } = best;
  const confidence = best.confidence < certain ? best.confidence : null;
  if (limit === 1 && refillPerS !== null)
    return [reason('study-finds-no-burst', { everyMs: 1e3 / refillPerS, confidence })];
  const size =
    promised === undefined
      ? { limit, windowMs, refillPerS }
      : { limit: promised.rate_limit.requests, windowMs: promised.rate_limit.windowMs, refillPerS: null };
  const prolongs = settled !== undefined && kindOf(settled).prolongedBy === 'each rejection';
  return [
    reason('study-finds', { limiter: name, size, confidence }),
    ...(prolongs ? [reason('study-finds-restarts')] : []),
  ];
}
