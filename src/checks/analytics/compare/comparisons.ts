import type { CheckId } from '../../../vocabulary/check-ids.ts';
import type { Suspect } from '../../causes/cause.ts';
import { type CheckFinding, evidenceIfAny, type Shown } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import type { Broken } from './sums.ts';

/** Something that a check found, and the requests that show it. */
interface RelationFinding extends Broken {
  /** What may be its cause. */
  readonly causes?: readonly Suspect[];
}

/** The result gives the reasons of that many findings; the others are counted. */
const mostTold = 3;

const strengths: readonly Suspect['strength'][] = ['shown', 'fits', 'loose'];

/** What came of comparing answers, one comparison at a time. */
export class Comparisons {
  /** Comparisons that could be made, the broken ones included. */
  judged = 0;
  /** Comparisons that could not, since others were at work meanwhile or an answer is missing. */
  skipped = 0;
  readonly broken: RelationFinding[] = [];
  /** What looks wrong and may be right. */
  readonly doubtful: RelationFinding[] = [];
  /** Why nothing could be compared, should that be so. */
  nothing: Reason = reason('comparisons-none');
  /** What is to be said besides, and was seen besides. */
  readonly also: Reason[] = [];
  readonly observed: Record<string, Shown> = {};

  /** A comparison that was made; `fault`: what is wrong, if anything. */
  made(fault?: RelationFinding | false): void {
    this.judged++;
    if (fault) this.broken.push(fault);
  }

  /** A comparison of a whole with its parts. */
  compared(broken: Broken | undefined, ...causes: readonly Suspect[]): void {
    this.made(broken && { ...broken, causes });
  }

  doubt(found: RelationFinding): void {
    this.judged++;
    this.doubtful.push(found);
  }

  /** A contradiction fails, a doubt or nothing to judge is inconclusive. */
  result(id: CheckId): CheckFinding {
    const { also, broken, doubtful, judged, nothing, observed, skipped } = this;
    const told = broken.length > 0 ? broken : doubtful;
    const verdict =
      broken.length > 0 ? 'fail' : doubtful.length > 0 || judged === 0 ? 'inconclusive' : 'pass';
    const more = told.length - mostTold;
    return {
      id,
      verdict,
      observed: { comparisons: judged, 'not possible': skipped, contradictions: broken.length, ...observed },
      reasons: [
        ...told.slice(0, mostTold).map((each) => each.reason),
        ...(more > 0 ? [reason('comparisons-more', { findings: more })] : []),
        ...(told.length > 0
          ? []
          : [judged === 0 ? nothing : reason('comparisons-agree', { comparisons: judged })]),
        ...also,
        ...(skipped === 0 || verdict === 'fail'
          ? []
          : [reason('comparisons-skipped', { comparisons: skipped })]),
      ],
      evidence: evidenceIfAny(broken.length > 0 ? 'answers that contradict each other' : 'answers in doubt', [
        ...new Set(told.flatMap(({ seqs }) => seqs)),
      ]),
      ...namedBy(broken),
    };
  }
}

/** The causes that findings name, each code once: what shows a cause stands before what it fits. */
function namedBy(findings: readonly RelationFinding[]): Pick<CheckFinding, 'causes'> {
  const all = findings.flatMap(({ causes, seqs }) =>
    (causes ?? []).map((suspect): Suspect => ({ ...suspect, seqs: suspect.seqs ?? seqs.slice(0, 4) })),
  );
  const sorted = all.toSorted((a, b) => strengths.indexOf(a.strength) - strengths.indexOf(b.strength));
  const byCode = new Map(sorted.toReversed().map((suspect) => [suspect.cause.code, suspect]));
  return byCode.size === 0 ? {} : { causes: [...byCode.values()].toReversed() };
}
