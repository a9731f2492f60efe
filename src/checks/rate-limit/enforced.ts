import { counted, number, range, times } from '../../amounts.ts';
import { type CandidateFit, fitLimiters } from '../../limits/fit.ts';
import { seqAt } from '../../limits/trace.ts';
import { withData } from '../check-data.ts';
import { fits, type Suspect, shown } from '../diagnosis/cause.ts';
import { type CheckResult, type Evidence, evidence, type Shown, type Verdict } from '../verdict.ts';
import {
  isTight,
  type JudgedStream,
  largestLimitForRefusals,
  leastLimitForAdmissions,
  otherwise,
  survivors,
  unprovenBy,
} from './judged.ts';
import { mergeStreams, type StreamPart } from './merge.ts';
import { substituteFor429 } from './substitute.ts';
import { differs, tooManyAdmitted, tooManyRefused, unexplained } from './suspects.ts';
import { capital, pace, per, seconds } from './words.ts';

/** Past the limit 429s come, and what passes is what some limiter of exactly the promised limit lets pass. */
export function judgeEnforced(streams: readonly JudgedStream[]): CheckResult {
  const [first] = streams;
  const limit = first === undefined ? 'its limit' : pace(first.promised);
  const result = mergeStreams(
    {
      id: 'rate-limit.enforced',
      title: `The limit is enforced past ${limit}`,
      expected:
        first?.algorithm === undefined
          ? `answers that some limiter of ${limit} explains`
          : `answers that a ${first.algorithm} of ${limit} explains`,
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

interface Decision {
  readonly verdict: Verdict;
  readonly explanation: string;
  /** In place of what bounds the limit. */
  readonly evidence?: readonly Evidence[];
  /** Of a fail. */
  readonly causes?: readonly Suspect[];
}

function decide(judged: JudgedStream): Decision {
  const { fit, stream } = judged;
  if (fit.admitted + fit.limited === 0) {
    return {
      verdict: 'inconclusive',
      explanation: `No request on ${stream.label} was answered with 2xx or 429.`,
    };
  }
  const fitting = survivors(fit);
  if (fit.limited === 0) return unrefused(judged, fitting);
  const [best] = fitting;
  if (best !== undefined) return confirmed(judged, fitting, best);

  return contradicted(judged);
}

/** No candidate explains the answers at the promised limit: another limit may, or they break the promise by themselves. */
function contradicted(judged: JudgedStream): Decision {
  const { promised, stream, algorithm, trace } = judged;
  const limiter = algorithm ?? 'limiter';
  const honest = unprovenBy(judged);
  if (honest !== undefined) {
    return {
      verdict: 'inconclusive',
      explanation: `${capital(stream.label)} looks like a ${honest.name} of ${pace(promised)}, which keeps to the limit in its own way. Whether that is what was promised, the profile does not say.`,
    };
  }
  // With an algorithm promised only its own candidates were judged; the others may still give the right name.
  const all = algorithm === undefined ? judged.fit : fitLimiters(trace, promised);
  const [likeness] = [...survivors(all), ...otherwise(all)];
  if (likeness !== undefined) {
    const instead = algorithm === undefined ? 'not of' : `not a ${algorithm} of`;
    return {
      verdict: 'fail',
      causes: unexplained(judged, () => differs(likeness, judged)),
      explanation: `${capital(stream.label)} looks like a ${likeness.candidate.name} of ${limitsOf(likeness, judged)}, ${instead} ${number(promised.requests)}.`,
    };
  }
  const least = leastLimitForAdmissions(judged);
  if (least !== undefined) {
    return {
      verdict: 'fail',
      causes: tooManyAdmitted(judged),
      explanation: `More passed on ${stream.label} than any ${limiter} of ${pace(promised)} lets through: it would take a limit of at least ${per(least, promised.windowNs)}.`,
    };
  }
  const most = largestLimitForRefusals(judged);
  if (most !== undefined) {
    return {
      verdict: 'fail',
      causes: unexplained(judged, () => tooManyRefused(judged)),
      explanation: `No ${limiter} of more than ${per(most, promised.windowNs)} refuses what was refused on ${stream.label}; ${pace(promised)} are promised.`,
    };
  }
  if (algorithm !== undefined) {
    return {
      verdict: 'fail',
      causes: unexplained(judged, () => [
        fits('limiter-unknown', { limit: promised.requests, windowMs: promised.windowNs / 1e6 }),
      ]),
      explanation: `No ${algorithm}, of whatever limit, explains the answers on ${stream.label}.`,
    };
  }
  return {
    verdict: 'inconclusive',
    explanation: `No known limiter, of whatever limit, explains the answers on ${stream.label}. The most that surely passed within ${seconds(promised.windowNs)} was ${counted(judged.mostAdmitted.atLeast, 'request')}, which some limiters of ${pace(promised)} allow.`,
  };
}

/** Nothing was refused with 429: was there reason to, and was it refused otherwise? */
function unrefused(judged: JudgedStream, fitting: readonly CandidateFit[]): Decision {
  const { fit, promised, stream } = judged;
  const substitute = substituteFor429(judged);
  if (substitute !== undefined) {
    return {
      verdict: 'fail',
      explanation: `Past ${pace(promised)} ${stream.label} was refused with ${substitute.status} instead of 429, ${times(substitute.seqs.length)}.`,
      evidence: [evidence(`answered ${substitute.status} where 429 was due`, substitute.seqs)],
      causes: [
        shown(
          'rejection-status-wrong',
          { status: substitute.status, refused: substitute.seqs.length },
          substitute.seqs,
        ),
      ],
    };
  }
  const [lenient] = fitting;
  if (lenient !== undefined) {
    return {
      verdict: 'inconclusive',
      explanation: `Nothing on ${stream.label} was refused, and a ${lenient.candidate.name} of ${pace(promised)} would not have refused anything either: the load did not go far enough past the limit.`,
    };
  }
  return {
    verdict: 'fail',
    causes: tooManyAdmitted(judged),
    explanation: `The limit is not enforced on ${stream.label}: ${counted(fit.admitted, 'request')} passed and none was refused, ${number(judged.mostAdmitted.atLeast)} of them within ${seconds(promised.windowNs)}. Every limiter of ${pace(promised)} would have refused some.`,
  };
}

function confirmed(judged: JudgedStream, fitting: readonly CandidateFit[], best: CandidateFit): Decision {
  const { promised, stream } = judged;
  if (!fitting.some((each) => isTight(each, promised))) {
    return {
      verdict: 'inconclusive',
      explanation: `The refusals on ${stream.label} narrow the limit no further than to ${limitsOf(best, judged)}.`,
    };
  }
  return {
    verdict: 'pass',
    explanation: `A ${best.candidate.name} of ${pace(promised)} explains every answer on ${stream.label}: ${counted(judged.fit.limited, 'request')} refused, ${number(judged.fit.admitted)} admitted${
      fitting.length > 1
        ? ` (so does a ${fitting
            .slice(1)
            .map((each) => each.candidate.name)
            .join(', a ')})`
        : ''
    }.`,
  };
}

function limitsOf(fit: CandidateFit, judged: JudgedStream): string {
  const { min, max } = fit.limits ?? { min: 0 };
  const span = seconds(judged.promised.windowNs);
  return `${range({ min, ...(max === undefined ? {} : { max }) })} per ${span}`;
}

function observedOf(judged: JudgedStream): Shown {
  return {
    admitted: judged.fit.admitted,
    limited: judged.fit.limited,
    limits_that_fit: Object.fromEntries(
      judged.fit.candidates.map((each) => [
        each.candidate.name,
        each.limits === undefined ? 'refuted' : { ...each.limits },
      ]),
    ),
  };
}

function evidenceOf(judged: JudgedStream): readonly Evidence[] {
  const { fit, trace, stream } = judged;
  const shown: Evidence[] = [];
  if (fit.limited === 0) return shown;
  const [best] = [...survivors(fit), ...otherwise(fit)];
  for (const each of best === undefined ? fit.candidates : [best]) {
    const seqs = [each.tightest.admission, each.tightest.refusal].flatMap((index) =>
      index === undefined ? [] : [seqAt(trace, index)],
    );
    const what = each.limits === undefined ? 'refute' : 'bound the limit of';
    shown.push(
      evidence(`an admission and a refusal on ${stream.label} that ${what} a ${each.candidate.name}`, seqs),
    );
  }
  return shown;
}
