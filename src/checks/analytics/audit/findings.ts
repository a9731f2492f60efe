import type { CheckId } from '../../../vocabulary/check-ids.ts';
import type { Suspect } from '../../causes/cause.ts';
import { type CheckFinding, evidence, type Shown } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';

/** Something that a check found, and the requests that show it. */
export interface RelationFinding {
  readonly reason: Reason;
  readonly seqs: readonly number[];
  /** What may be its cause. */
  readonly causes?: readonly Suspect[];
}

/** What came of holding answers against each other. */
interface Findings {
  /** Comparisons that could be made, the broken ones included. */
  readonly judged: number;
  /** Comparisons that could not, since others were at work meanwhile or an answer is missing. */
  readonly skipped: number;
  readonly broken: readonly RelationFinding[];
  /** What looks wrong and may be right. */
  readonly doubtful: readonly RelationFinding[];
}

interface Terms {
  readonly id: CheckId;
  readonly expected: CheckFinding['expected'];
  /** Why it passed. */
  readonly passed: Reason;
  /** Why nothing could be judged. */
  readonly nothing: Reason;
  /** What was seen besides. */
  readonly observed?: Readonly<Record<string, Shown>>;
}

/** The result gives the reasons of that many findings; the others are counted. */
const mostTold = 3;

/** Makes a result of findings: a contradiction fails, a doubt or nothing to judge is inconclusive. */
export function resultOf(findings: Findings, terms: Terms): CheckFinding {
  const { broken, doubtful, judged, skipped } = findings;
  const told = broken.length > 0 ? broken : doubtful;
  const verdict = broken.length > 0 ? 'fail' : doubtful.length > 0 || judged === 0 ? 'inconclusive' : 'pass';
  const left =
    skipped === 0 || verdict === 'fail' ? [] : [reason('audit-not-compared', { comparisons: skipped })];
  return {
    id: terms.id,
    verdict,
    expected: terms.expected,
    observed: {
      comparisons: judged,
      'not possible': skipped,
      contradictions: broken.length,
      ...terms.observed,
    },
    reasons: [...(told.length > 0 ? firstOf(told) : [judged === 0 ? terms.nothing : terms.passed]), ...left],
    evidence:
      told.length === 0
        ? []
        : [
            evidence(broken.length > 0 ? 'answers that contradict each other' : 'answers in doubt', [
              ...new Set(told.flatMap(({ seqs }) => seqs)),
            ]),
          ],
    ...(broken.length > 0 ? namedBy(broken) : {}),
  };
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

const strengths: readonly Suspect['strength'][] = ['shown', 'fits', 'loose'];

function firstOf(told: readonly RelationFinding[]): Reason[] {
  const more = told.length - mostTold;
  return [
    ...told.slice(0, mostTold).map((each) => each.reason),
    ...(more > 0 ? [reason('audit-more-findings', { findings: more })] : []),
  ];
}

/** Collects findings one comparison at a time. */
export class Comparisons implements Findings {
  judged = 0;
  skipped = 0;
  readonly broken: RelationFinding[] = [];
  readonly doubtful: RelationFinding[] = [];

  skip(): void {
    this.skipped++;
  }

  /** A comparison that was made; `fault`: what is wrong, if anything. */
  made(
    fault: Reason | undefined,
    seqs: () => readonly number[],
    causes: () => readonly Suspect[] = () => [],
  ): void {
    this.judged++;
    if (fault !== undefined) this.broken.push({ reason: fault, seqs: seqs(), causes: causes() });
  }

  doubt(doubt: Reason, seqs: readonly number[]): void {
    this.judged++;
    this.doubtful.push({ reason: doubt, seqs });
  }
}
