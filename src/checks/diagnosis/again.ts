import type { History } from '../../history/history.ts';
import type { CheckGroup, CheckId } from '../../vocabulary/check-ids.ts';
import type { CauseCode } from '../causes/cause.ts';
import type { CheckResult } from '../core/verdict.ts';
import type { Judgement } from './diagnosis.ts';
import { type Places, type RunPart, readPlaces, union } from './needed.ts';

interface ShowingPart extends RunPart {
  /** How many requests the run had there. */
  readonly requests: number;
  /** Whether requests elsewhere in the run showed the cause, too. */
  readonly isShownElsewhere: boolean;
  /** The few shoppers of the load that may show it without the others; undefined if it takes all. */
  readonly few: Few | undefined;
}

/** Some shoppers of a part, and the families of probes that they depend on. */
export interface Few {
  readonly shoppers: readonly number[];
  readonly families: readonly string[];
  readonly requests: number;
}

/** This many are tried without the others. Ours. */
const mostShoppers = 3;

/** Groups of properties for which each shopper counts by himself. The limit and the quota take all that spend them. */
const shownByFew: readonly CheckGroup[] = ['contract', 'analytics'];

/** A cause of a run, and what shows whether it is still there. */
export interface Repeatable {
  readonly code: CauseCode;
  /** The cause in sentences, one for each thing that it is about. */
  readonly texts: readonly string[];
  /** The checks that named it. */
  readonly checks: readonly CheckId[];
  /** The part of the run that shows it; undefined if no part does. */
  readonly part: ShowingPart | undefined;
}

/** Groups of properties that a part of a run can show; the others take the time or the number of a whole run. */
const shownByPart: readonly CheckGroup[] = ['contract', 'rate-limit', 'quota', 'analytics'];

/** The group of a check. */
export function groupOfId(id: CheckId): CheckGroup {
  return id.slice(0, id.indexOf('.')) as CheckGroup;
}

/** The causes of what failed, the likeliest first, each with the part of the run that shows it. */
export async function repeatableCauses(history: History, judgement: Judgement): Promise<Repeatable[]> {
  const causes = judgement.diagnosis.causes.filter(({ explains }) => explains === 'fail');
  const places = await readPlaces(history);
  const codes = [...new Set(causes.map(({ cause }) => cause.code))];
  const repeatable = codes.map(async (code): Promise<Repeatable> => {
    const naming = namingChecks(judgement, code);
    const parts = naming.flatMap((check) => partShowing(check, code, places) ?? []);
    const part = parts.length < naming.length ? undefined : union(parts);
    const seqs = naming.flatMap((check) => seqsOf(check, code));
    return {
      code,
      texts: causes.filter(({ cause }) => cause.code === code).map(({ text }) => text),
      checks: naming.map(({ id }) => id),
      part: part && {
        ...part,
        requests: places.requestsIn(part),
        isShownElsewhere: places.areOutside(seqs, part),
        few: naming.every(({ id }) => shownByFew.includes(groupOfId(id)))
          ? await fewOf(seqs, part, places)
          : undefined,
      },
    };
  });
  return Promise.all(repeatable);
}

/** Undefined where that saves nothing. */
async function fewOf(seqs: readonly number[], part: RunPart, places: Places): Promise<Few | undefined> {
  const shoppers = await places.shoppersFor(seqs, mostShoppers);
  const families = part.families.length === 0 ? [] : await places.familiesFor(shoppers);
  const requests = await places.requestsBy(shoppers, families);
  return shoppers.length === 0 || requests >= places.requestsIn(part)
    ? undefined
    : { shoppers, families, requests };
}

function partShowing(check: CheckResult, code: CauseCode, places: Places): RunPart | undefined {
  const group = groupOfId(check.id);
  return shownByPart.includes(group) ? places.partWith(seqsOf(check, code), group) : undefined;
}

/** Whether a cause is there in another run. `otherwise`: a check that named it still fails, for another cause. */
export type StillThere = 'yes' | 'otherwise' | 'no' | 'unknown';

/**
 * Judges by the same checks: all of them have to pass before the cause is gone. Where the explorer's calls showed it, analytics of
 * shoppers, who may not be sent again, may say nothing: the contract decides.
 */
export function stillThere(
  { checks, code }: Pick<Repeatable, 'checks' | 'code'>,
  judgement: Judgement,
): StillThere {
  if (namingChecks(judgement, code).length > 0) return 'yes';
  const isContract = (id: CheckId): boolean => groupOfId(id) === 'contract';
  const judged = checks.map((id) => ({
    verdict: judgement.checks.find((each) => each.id === id)?.verdict,
    mayBeOpen: groupOfId(id) === 'analytics' && checks.some(isContract),
  }));
  if (judged.some(({ verdict }) => verdict === 'fail')) return 'otherwise';
  const isGone = judged.every(
    ({ mayBeOpen, verdict }) => verdict === 'pass' || (mayBeOpen && verdict === 'inconclusive'),
  );
  return judged.length > 0 && isGone ? 'no' : 'unknown';
}

/** The failed checks that name a cause. */
function namingChecks({ checks }: Pick<Judgement, 'checks'>, code: CauseCode): CheckResult[] {
  return checks.filter(
    ({ causes = [], verdict }) => verdict === 'fail' && causes.some(({ cause }) => cause.code === code),
  );
}

/** The requests that show a cause to a check, and those that show its failure: the former are at most a handful. */
function seqsOf({ causes = [], evidence }: CheckResult, code: CauseCode): readonly number[] {
  const named = causes.filter(({ cause }) => cause.code === code).flatMap(({ seqs = [] }) => seqs);
  return [...named, ...evidence.flatMap(({ seqs }) => seqs)];
}
