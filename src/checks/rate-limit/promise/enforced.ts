import type { CandidateFit } from '../../../limits/fit.ts';
import { seqAt } from '../../../limits/trace.ts';
import { admissionsNeedOver, refusalsNeedUnder } from '../../../limits/window-search.ts';
import type { Interval } from '../../../vocabulary/bounds.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { type CheckFinding, evidence, mergeVerdicts, type Shown, withData } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { keysText } from '../../reasons/words/limits.ts';
import {
  isPastLimit,
  isTight,
  type JudgedStream,
  otherwise,
  subjectOf,
  survivors,
  unprovenBy,
  wrongfulSeqs,
} from '../traces/judged.ts';
import type { ExplainedStream } from './explanation.ts';

/** What a check says about one stream. */
export type StreamPart = Omit<CheckFinding, 'id' | 'expected'>;

/** What a check says about one stream: what it finds wrong only without the stream's excuse is inconclusive. */
export function partOf(judged: ExplainedStream, judge: (judged: ExplainedStream) => StreamPart): StreamPart {
  const { excuse } = judged;
  const part = judge(judged);
  if (excuse === undefined || part.verdict !== 'fail') return part;
  if (isPastLimit(excuse.under) && judge(excuse.under).verdict === 'fail') return part;
  return {
    ...part,
    verdict: 'inconclusive',
    reasons: [...part.reasons, ...excuse.reasons],
    evidence: excuse.evidence ?? part.evidence ?? [],
    causes: [],
  };
}

/** One result from several streams; `observed` names the streams only when there is more than one. */
export function merged(
  head: Pick<CheckFinding, 'id' | 'titleParams' | 'expected'>,
  streams: readonly ExplainedStream[],
  judge: (judged: ExplainedStream) => StreamPart,
): CheckFinding {
  const all = streams.map((judged) => ({
    label: judged.stream.label,
    meant: judged.meantToExceed,
    part: partOf(judged, judge),
  }));
  // A stream that met its limit in passing need not tell what another was meant to find out.
  const isMeant = all.some(({ meant, part }) => meant && part.verdict !== 'inconclusive');
  const parts = all.filter(({ meant, part }) => meant || !isMeant || part.verdict !== 'inconclusive');
  const [only] = parts;
  const reasons = parts.flatMap(({ part }) => part.reasons);
  return {
    ...head,
    verdict: mergeVerdicts(parts.map(({ part }) => part.verdict)),
    observed:
      parts.length === 1 && only !== undefined
        ? only.part.observed
        : Object.fromEntries(parts.map(({ label, part }) => [label, part.observed])),
    reasons: reasons.length > 0 ? reasons : [reason('limit-not-passed')],
    evidence: parts.flatMap(({ part }) => part.evidence ?? []),
    causes: parts.flatMap(({ part }) => (part.verdict === 'fail' ? (part.causes ?? []) : [])),
  };
}

/** Why more passed than the limit, as far as the answers by themselves show it. */
export function tooManyAdmitted(
  { explanation, fit, mostAdmitted, promised }: ExplainedStream,
  seqs: readonly number[] = [],
): readonly Suspect[] {
  if (explanation !== undefined && explanation.causes.length > 0) return explanation.causes;
  const code = fit.limited === 0 ? 'limit-not-enforced' : 'admits-over-limit';
  const { requests: limit, windowNs } = promised;
  return [fits(code, { admitted: mostAdmitted.atLeast, limit, windowMs: windowNs / 1e6 }, seqs)];
}

/** Why there are more rejections than any limiter gives, or at the wrong time. */
export function tooManyRejected(judged: ExplainedStream, seqs = wrongfulSeqs(judged)): readonly Suspect[] {
  const { explanation, fit, promised } = judged;
  if (explanation !== undefined && explanation.causes.length > 0) return explanation.causes;
  const { requests: limit, windowNs } = promised;
  const refused = seqs.length || fit.limited;
  return [fits('refused-below-limit', { refused, limit, windowMs: windowNs / 1e6 }, seqs)];
}

/** Past the limit 429s come, and what passes is what some limiter of exactly the promised limit lets pass. */
export function judgeEnforced(streams: readonly ExplainedStream[]): CheckFinding {
  const [first] = streams;
  const limit = first === undefined ? null : subjectOf(first).limit;
  const result = merged(
    {
      id: 'rate-limit.enforced',
      ...(limit !== null && { titleParams: limit }),
    },
    streams,
    (judged) => ({
      observed: observedOf(judged),
      evidence: boundingEvidence(judged),
      ...enforcement(judged),
    }),
  );
  const kinds = streams.flatMap(({ fit }) => survivors(fit).map(({ candidate }) => candidate.name));
  return withData('rate-limit.enforced', result, { kinds: [...new Set(kinds)] });
}

type Enforcement = Omit<StreamPart, 'observed'>;

function enforcement(judged: ExplainedStream): Enforcement {
  const { algorithm, explanation, fit, promised, trace } = judged;
  const subject = subjectOf(judged);
  const open = (why: Reason): Enforcement => ({ verdict: 'inconclusive', reasons: [why] });
  const fail = (why: Reason, causes: readonly Suspect[]): Enforcement => ({
    verdict: 'fail',
    reasons: [why],
    causes,
  });
  if (fit.admitted + fit.limited === 0) return open(reason('stream-unanswered', { stream: subject.stream }));
  if (explanation !== undefined && explanation.reasons.length > 0) return explanation;
  const fitting = survivors(fit);
  const [best] = fitting;
  if (best !== undefined && fit.limited === 0)
    return open(reason('enforced-load-too-small', { ...subject, limiter: best.candidate.name }));
  const peak = judged.mostAdmitted.atLeast;
  if (fit.limited === 0)
    return fail(
      reason('enforced-no-429', { ...subject, admitted: fit.admitted, peak }),
      tooManyAdmitted(judged),
    );
  if (best !== undefined) {
    const limits = limitsOf(best);
    if (!fitting.some((each) => isTight(each, promised) && !each.isByChance))
      return open(reason('enforced-limit-vague', { ...subject, limits }));
    const others = fitting.slice(1).map((each) => each.candidate.name);
    const counts = { rejected: fit.limited, admitted: fit.admitted };
    const params = { ...subject, ...counts, limiter: best.candidate.name, others, limits };
    return { verdict: 'pass', reasons: [reason('enforced-explained', params)] };
  }
  const honest = unprovenBy(judged);
  if (honest !== undefined) return open(reason('enforced-unproven', { ...subject, limiter: honest.name }));
  const expected = { ...subject, promised: algorithm ?? null };
  const least = admissionsNeedOver(trace, promised, algorithm);
  if (least !== undefined)
    return fail(reason('enforced-over-limit', { ...expected, least }), tooManyAdmitted(judged));
  const most = refusalsNeedUnder(trace, promised, algorithm);
  if (most !== undefined)
    return fail(reason('enforced-below-limit', { ...expected, most }), tooManyRejected(judged));
  if (algorithm === undefined) return open(reason('enforced-kind-unknown', { ...subject, peak }));
  const { requests: limit, windowMs } = subject.limit;
  const { causes = [] } = explanation ?? {};
  return fail(
    reason('enforced-not-the-kind', { stream: subject.stream, promised: algorithm }),
    causes.length > 0 ? causes : [fits('limiter-unknown', { limit, windowMs })],
  );
}

export function limitsOf({ limits = { min: 0 } }: CandidateFit): Interval {
  return limits;
}

function observedOf({ fit }: JudgedStream): Shown {
  return {
    admitted: fit.admitted,
    rejected: fit.limited,
    limits_that_fit: Object.fromEntries(
      fit.candidates.map((each) => [
        each.candidate.name,
        each.limits === undefined ? 'refuted' : { ...each.limits },
      ]),
    ),
  };
}

/** The answers that bound the limit of the likeliest kind; where none is left, those that refute each. */
function boundingEvidence(judged: JudgedStream): ReturnType<typeof evidence>[] {
  const { fit, trace } = judged;
  if (fit.limited === 0) return [];
  const whose = keysText(subjectOf(judged).stream);
  const [best] = [...survivors(fit), ...otherwise(fit)];
  return (best === undefined ? fit.candidates : [best]).map(({ candidate, limits, tightest }) => {
    const seqs = [tightest.admission, tightest.refusal].flatMap((index) =>
      index === undefined ? [] : [seqAt(trace, index)],
    );
    const what = limits === undefined ? 'refute' : 'bound the limit of';
    return evidence(`an admission and a rejection with ${whose} that ${what} a ${candidate.name}`, seqs);
  });
}
