import { type CandidateFit, fitLimiters } from '../../../limits/fit.ts';
import { seqAt } from '../../../limits/trace.ts';
import type { Interval } from '../../../vocabulary/bounds.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import { withData } from '../../core/check-data.ts';
import { type CheckFinding, type Evidence, evidence, type Shown, type Verdict } from '../../core/verdict.ts';
import { expects } from '../../reasons/expected.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { keysText } from '../../reasons/words/limits.ts';
import {
  isTight,
  type JudgedStream,
  largestLimitForRefusals,
  leastLimitForAdmissions,
  otherwise,
  subjectOf,
  survivors,
  unprovenBy,
} from '../traces/judged.ts';
import { paceOf } from '../traces/words.ts';
import { mergeStreams, type StreamPart } from './merge.ts';
import { losesCount } from './starts-anew.ts';
import { substituteFor429 } from './substitute.ts';
import { differs, tooManyAdmitted, tooManyRejected, unexplained } from './suspects.ts';

/** Past the limit 429s come, and what passes is what some limiter of exactly the promised limit lets pass. */
export function judgeEnforced(streams: readonly JudgedStream[]): CheckFinding {
  const [first] = streams;
  const result = mergeStreams(
    {
      id: 'rate-limit.enforced',
      ...(first === undefined ? {} : { titleParams: subjectOf(first).limit }),
      expected: expects('rate-limit.enforced', {
        kind: first?.algorithm ?? null,
        limit: first === undefined ? null : paceOf(first.promised),
      }),
    },
    streams,
    judgeOne,
  );
  const kinds = streams.flatMap(({ fit }) => survivors(fit).map(({ candidate }) => candidate.name));
  return withData('rate-limit.enforced', result, { kinds: [...new Set(kinds)] });
}

function judgeOne(judged: JudgedStream): StreamPart {
  return { observed: observedOf(judged), evidence: evidenceOf(judged), ...decide(judged) };
}

interface Enforcement {
  readonly verdict: Verdict;
  readonly reasons: readonly Reason[];
  /** In place of what bounds the limit. */
  readonly evidence?: readonly Evidence[];
  /** Of a fail. */
  readonly causes?: readonly Suspect[];
}

function decide(judged: JudgedStream): Enforcement {
  const { fit } = judged;
  if (fit.admitted + fit.limited === 0) {
    const { stream } = subjectOf(judged);
    return { verdict: 'inconclusive', reasons: [reason('stream-unanswered', { stream })] };
  }
  const fitting = survivors(fit);
  if (fit.limited === 0) return noneRejected(judged, fitting);
  const [best] = fitting;
  if (best !== undefined) return confirmed(judged, fitting, best);
  return contradicted(judged);
}

/** No candidate explains the answers at the promised limit: another limit may, or they break the promise by themselves. */
function contradicted(judged: JudgedStream): Enforcement {
  const { promised, algorithm, trace } = judged;
  const subject = subjectOf(judged);
  const expected = { ...subject, promised: algorithm ?? null };
  const honest = unprovenBy(judged);
  if (honest !== undefined) {
    const vague = reason('enforced-unproven', { ...subject, limiter: honest.name });
    return countLost(judged) ?? { verdict: 'inconclusive', reasons: [vague] };
  }
  // With an algorithm promised only its own candidates were judged; the others may still give the right name. Of those
  // that need another limit, the promised kind comes first: then only the limit differs.
  const all = algorithm === undefined ? judged.fit : fitLimiters(trace, promised);
  const [likeness] = [...survivors(all), ...otherwise(judged.fit), ...otherwise(all)];
  if (likeness !== undefined) {
    return {
      verdict: 'fail',
      causes: unexplained(judged, () => differs(likeness, judged)),
      reasons: [
        reason('enforced-other-limiter', {
          ...expected,
          limiter: likeness.candidate.name,
          limits: limitsOf(likeness),
        }),
      ],
    };
  }
  const least = leastLimitForAdmissions(judged);
  if (least !== undefined) {
    return {
      verdict: 'fail',
      causes: tooManyAdmitted(judged),
      reasons: [reason('enforced-over-limit', { ...expected, least })],
    };
  }
  const most = largestLimitForRefusals(judged);
  if (most !== undefined) {
    return {
      verdict: 'fail',
      causes: unexplained(judged, () => tooManyRejected(judged)),
      reasons: [reason('enforced-below-limit', { ...expected, most })],
    };
  }
  if (algorithm !== undefined) {
    return {
      verdict: 'fail',
      causes: unexplained(judged, () => [
        fits('limiter-unknown', { limit: promised.requests, windowMs: promised.windowNs / 1e6 }),
      ]),
      reasons: [reason('enforced-not-the-kind', { stream: subject.stream, promised: algorithm })],
    };
  }
  const vague = reason('enforced-kind-unknown', { ...subject, peak: judged.mostAdmitted.atLeast });
  return countLost(judged) ?? { verdict: 'inconclusive', reasons: [vague] };
}

/** Where no window that begins anew explains the answers, a count that is empty at once was lost: all other kinds slide. */
function countLost(judged: JudgedStream): Enforcement | undefined {
  const lost = losesCount(judged);
  if (lost === undefined) return undefined;
  const { seqs, times } = lost;
  return {
    verdict: 'fail',
    causes: [shown('count-starts-anew', { times, windowMs: judged.promised.windowNs / 1e6 }, seqs)],
    reasons: [reason('enforced-count-lost', { ...subjectOf(judged), times })],
  };
}

/** Nothing got 429: was there reason to reject, and was it done with another status? */
function noneRejected(judged: JudgedStream, fitting: readonly CandidateFit[]): Enforcement {
  const { fit } = judged;
  const subject = subjectOf(judged);
  const substitute = substituteFor429(judged);
  if (substitute !== undefined) {
    const { seqs, status } = substitute;
    return {
      verdict: 'fail',
      reasons: [reason('enforced-other-status', { ...subject, status, rejected: seqs.length })],
      evidence: [evidence(`answered ${status} where 429 was due`, seqs)],
      causes: [shown('rejection-status-wrong', { status, refused: seqs.length }, seqs)],
    };
  }
  const [lenient] = fitting;
  if (lenient !== undefined) {
    return {
      verdict: 'inconclusive',
      reasons: [reason('enforced-load-too-small', { ...subject, limiter: lenient.candidate.name })],
    };
  }
  return {
    verdict: 'fail',
    causes: tooManyAdmitted(judged),
    reasons: [
      reason('enforced-no-429', {
        ...subject,
        admitted: fit.admitted,
        peak: judged.mostAdmitted.atLeast,
      }),
    ],
  };
}

function confirmed(judged: JudgedStream, fitting: readonly CandidateFit[], best: CandidateFit): Enforcement {
  const { fit, promised } = judged;
  const subject = subjectOf(judged);
  if (!fitting.some((each) => isTight(each, promised))) {
    return {
      verdict: 'inconclusive',
      reasons: [reason('enforced-limit-vague', { ...subject, limits: limitsOf(best) })],
    };
  }
  return {
    verdict: 'pass',
    reasons: [
      reason('enforced-explained', {
        ...subject,
        limiter: best.candidate.name,
        others: fitting.slice(1).map((each) => each.candidate.name),
        limits: limitsOf(best),
        rejected: fit.limited,
        admitted: fit.admitted,
      }),
    ],
  };
}

function limitsOf({ limits }: CandidateFit): Interval {
  const { min, max } = limits ?? { min: 0 };
  return { min, ...(max === undefined ? {} : { max }) };
}

function observedOf(judged: JudgedStream): Shown {
  return {
    admitted: judged.fit.admitted,
    rejected: judged.fit.limited,
    limits_that_fit: Object.fromEntries(
      judged.fit.candidates.map((each) => [
        each.candidate.name,
        each.limits === undefined ? 'refuted' : { ...each.limits },
      ]),
    ),
  };
}

function evidenceOf(judged: JudgedStream): readonly Evidence[] {
  const { fit, trace } = judged;
  const whose = keysText(subjectOf(judged).stream);
  const shown: Evidence[] = [];
  if (fit.limited === 0) return shown;
  const [best] = [...survivors(fit), ...otherwise(fit)];
  for (const each of best === undefined ? fit.candidates : [best]) {
    const seqs = [each.tightest.admission, each.tightest.refusal].flatMap((index) =>
      index === undefined ? [] : [seqAt(trace, index)],
    );
    const what = each.limits === undefined ? 'refute' : 'bound the limit of';
    shown.push(
      evidence(`an admission and a rejection with ${whose} that ${what} a ${each.candidate.name}`, seqs),
    );
  }
  return shown;
}
