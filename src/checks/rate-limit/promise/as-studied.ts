import { isAsPromised } from '../study/as-promised.ts';
import type { LimiterFindings } from '../study/findings.ts';
import type { Assumption } from './explanation.ts';
import { ofTheKind } from './others.ts';

/** A kind less likely than all others together explains nothing. */
const leastLikely = 0.5;

/** No kind of limiter explains all answers of the study, whatever its size. */
export function isUnknownKind({ inference: { limited, survivors } }: LimiterFindings): boolean {
  return limited > 0 && survivors.reduce((sum, { confidence }) => sum + confidence, 0) < leastLikely;
}

/** The checks of the load name the causes that the study names. */
export const asStudied: Assumption = {
  what: 'the limiter is the one that the study found',
  price: 0,
  explains(_, { profile, studied, study }) {
    const best = study?.inference.survivors[0];
    if (study === undefined || study.late !== undefined || best === undefined) return undefined;
    // A limiter as promised is no cause, unless rejections are what it goes wrong with.
    const isInnocent = best.rejectsCount !== true && isAsPromised(best, profile);
    if (best.settled === undefined || best.confidence < leastLikely || isInnocent) return undefined;
    const causes = studied
      .filter(({ id, verdict }) => verdict === 'fail' && ofTheKind.includes(id))
      .flatMap(({ causes: own = [] }) => own);
    // What the study has shown explains the load's answers as well; they alone may have other explanations.
    return { causes: causes.map((each) => ({ ...each, strength: 'fits' })) };
  },
};
