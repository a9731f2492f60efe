import type { History } from '../../../history/history.ts';
import { type CandidateFit, fitLimiters } from '../../../limits/fit.ts';
import { promisable } from '../../../limits/kinds/table.ts';
import type { Rows } from '../../../limits/sent/columns.ts';
import { type TraceOptions, traceOfRows } from '../../../limits/sent/traces.ts';
import type { Trace } from '../../../limits/trace.ts';
import type { Suspect } from '../../causes/cause.ts';
import { type CheckFinding, type Evidence, mergeVerdicts, type Verdict } from '../../core/verdict.ts';
import type { Reason } from '../../reasons/reason.ts';
import { isAsPromised } from '../study/as-promised.ts';
import type { LimiterFindings } from '../study/findings.ts';
import { isTight, type JudgedStream, survivors, unprovenBy, wrongfulSeqs } from '../traces/judged.ts';
import { ofTheKind } from './others.ts';

/** A connection, by its place in the order of first use, and the number of the address that it leads to. */
export interface Port {
  readonly place: number;
  readonly address: number;
}

/** A limit beside the promised one, and what it explains. */
export interface SecondLimit {
  readonly requests: number;
  readonly windowMs: number;
  /** It counts the requests of all keys together. */
  readonly isOfAllKeys: boolean;
  /** The rows of the rejections that it explains. */
  readonly rejected: ReadonlySet<number>;
  /** How many of them the promised limit cannot have given. */
  readonly below: number;
}

/** The requests that one limit may count: their trace, and the row of each. */
export interface RequestsOfLimit {
  readonly trace: Trace;
  readonly rows: Rows;
}

/** What explains the answers of a stream that no limiter as promised explains. */
export interface LimiterExplanation {
  /** How much it assumes and leaves open: about one for each parameter, more where it gets answers wrong. */
  readonly price: number;
  readonly verdict: Verdict;
  /** What `rate-limit.enforced` says in place of what it sees by itself; nothing where that is clear enough. */
  readonly reasons: readonly Reason[];
  /** None where the explanation is not clear enough to name one. */
  readonly causes: readonly Suspect[];
  readonly evidence?: readonly Evidence[];
}

/** An assumption that leaves the target without blame: what a check finds wrong only without it is inconclusive. */
export interface Excuse {
  /** The stream as it is under the assumption. */
  readonly under: JudgedStream;
  readonly reasons: readonly Reason[];
  readonly evidence?: readonly Evidence[];
  readonly second?: SecondLimit;
}

/** A stream, with what explains its answers, or excuses them, where no limiter as promised does. */
export interface ExplainedStream extends JudgedStream {
  readonly explanation?: LimiterExplanation | undefined;
  readonly excuse?: Excuse | undefined;
}

/** What assumptions are made about, beside the stream. */
export interface Circumstances extends Pick<History, 'profile' | 'run'> {
  /** By `seq`: over which connection a request went. Empty where it is not known. */
  readonly ports: ReadonlyMap<number, Port>;
  /** What a study found; undefined without one. */
  readonly study: LimiterFindings | undefined;
  /** What its checks say. */
  readonly studied: readonly CheckFinding[];
  /** Where each key has a limit: the requests of all keys together. */
  readonly allKeys: () => RequestsOfLimit | undefined;
  /** Headers show that nothing but this run spends the limits. */
  readonly countsOnlyOwn: () => boolean;
  /** A convention of the profile which, taken the other way, makes a limiter as promised explain all answers of the run. */
  readonly otherConvention: () => Suspect | undefined;
}

/** One assumption, under which the same fit judges the answers again. */
export interface Assumption {
  /** In a few words, for tests. */
  readonly what: string;
  /** The price of its explanations, or the least of them where each has its own. */
  readonly price: number;
  /** A study of the limiter tells better. */
  readonly isForStudy?: true;
  /** It is likelier than a limiter that keeps to the promised limit in an unusual way. */
  readonly isLikely?: true;
  /** A fault at the price of the assumption, unless it says otherwise; or an excuse. */
  readonly explains: (
    judged: JudgedStream,
    around: Circumstances,
  ) => (Partial<LimiterExplanation> & Pick<LimiterExplanation, 'causes'>) | Excuse | undefined;
}

/** Explanations whose prices differ by less are equally good. */
const equalWithin = 0.4;

/**
 * The stream with the cheapest explanation or excuse, where it needs one; of several that are about as cheap, all causes
 * together.
 */
export function explained(
  assumptions: readonly Assumption[],
  judged: JudgedStream,
  around: Circumstances,
): ExplainedStream {
  const { fit } = judged;
  const { counting, inference } = around.study ?? {};
  // A study that names no limiter leaves it to the load to tell.
  const isStudied = counting !== undefined || (inference?.survivors.length ?? 0) > 0;
  const isExplained = fit.limited > 0 && survivors(fit).length > 0 && wrongfulSeqs(judged).length === 0;
  const isNeeded = fit.admitted + fit.limited > 0 && !isExplained;
  if (!isNeeded) return judged;
  const isUnusual = fit.limited > 0 && unprovenBy(judged) !== undefined;
  const asked = assumptions.filter(
    ({ isForStudy, isLikely }) => (!isUnusual || isLikely === true) && (isForStudy !== true || !isStudied),
  );
  const found: LimiterExplanation[] = [];
  let excuse: Excuse | undefined;
  let best = Number.POSITIVE_INFINITY;
  for (const assumption of asked.toSorted((a, b) => a.price - b.price)) {
    if (assumption.price > best + equalWithin) break;
    const explains = assumption.explains(judged, around);
    if (explains === undefined) continue;
    if ('under' in explains) {
      excuse ??= explains;
      continue;
    }
    const explanation = { price: assumption.price, verdict: 'fail', reasons: [], ...explains } as const;
    found.push(explanation);
    best = Math.min(best, explanation.price);
  }
  const equal = found
    .filter(({ price }) => price <= best + equalWithin)
    .toSorted((a, b) => a.price - b.price);
  const [first] = equal;
  if (first === undefined) return { ...judged, excuse };
  const explanation = {
    ...first,
    verdict: mergeVerdicts(equal.map(({ verdict }) => verdict)),
    causes: equal.flatMap(({ causes }) => causes),
    reasons: equal.find(({ reasons }) => reasons.length > 0)?.reasons ?? [],
  };
  return { ...judged, explanation, excuse };
}

/** A limiter of exactly the promised limit, closely known, that explains every answer of a trace. */
export function limiterAsPromised(
  trace: Trace,
  { algorithm, promised }: Pick<JudgedStream, 'algorithm' | 'promised'>,
): CandidateFit | undefined {
  return survivors(fitLimiters(trace, promised, promisable(algorithm))).find((each) =>
    isTight(each, promised),
  );
}

/** The trace of some rows of a stream, in place of the whole one. */
export function traceOf(
  { stream: { charge, options, sent } }: JudgedStream,
  rows: Rows,
  other: Partial<TraceOptions> = {},
): Trace {
  return traceOfRows(sent, rows, charge, { ...options, ...other });
}

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
