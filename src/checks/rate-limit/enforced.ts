import type { CandidateFit } from '../../limits/fit.ts';
import { fitLimiters } from '../../limits/fit.ts';
import { seqAt } from '../../limits/trace.ts';
import { type CheckResult, type Evidence, evidence, type Shown, type Verdict } from '../verdict.ts';
import {
  type JudgedStream,
  largestLimitForRefusals,
  leastLimitForAdmissions,
  otherwise,
  survivors,
} from './judged.ts';
import { mergeStreams, type StreamPart } from './merge.ts';
import { count, pace, per, requests, seconds } from './words.ts';

/** A limit found only to within more than this part of the promised one is not confirmed. */
const vagueness = 0.1;

/** Past the limit 429s come, and what passes is what some limiter of exactly the promised limit lets pass. */
export function judgeEnforced(streams: readonly JudgedStream[]): CheckResult {
  const [first] = streams;
  const limit = first === undefined ? 'its limit' : pace(first.promised);
  return mergeStreams(
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
}

function judgeOne(judged: JudgedStream): StreamPart {
  return { observed: observedOf(judged), evidence: evidenceOf(judged), ...decide(judged) };
}

function decide(judged: JudgedStream): { readonly verdict: Verdict; readonly explanation: string } {
  const { fit, promised, stream, algorithm } = judged;
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

  const promise = `${pace(promised)} ${algorithm === undefined ? 'are promised' : `by a ${algorithm} are promised`}`;
  // With an algorithm promised only its own candidates were judged; the others may still give the right name.
  const all = algorithm === undefined ? fit : fitLimiters(judged.trace, promised);
  const [likeness] = [...survivors(all), ...otherwise(all)];
  if (likeness !== undefined) {
    return {
      verdict: 'fail',
      explanation: `${capital(stream.label)} looks like a ${likeness.name} of ${limitsOf(likeness, judged)}, not ${count(promised.requests)}${algorithm === undefined ? '' : `, and not like a ${algorithm}`}; ${promise}.`,
    };
  }
  const least = leastLimitForAdmissions(fit);
  if (least > promised.requests) {
    return {
      verdict: 'fail',
      explanation: `More passed on ${stream.label} than any limiter of ${pace(promised)} lets through: it would take a limit of at least ${per(least, promised.windowNs)}.`,
    };
  }
  const most = largestLimitForRefusals(fit);
  if (most < promised.requests) {
    return {
      verdict: 'fail',
      explanation: `${capital(stream.label)} was refused as no limiter above ${per(most, promised.windowNs)} refuses; ${promise}.`,
    };
  }
  if (algorithm !== undefined) {
    return {
      verdict: 'fail',
      explanation: `No ${algorithm}, of whatever limit, explains the answers on ${stream.label}; ${promise}.`,
    };
  }
  return {
    verdict: 'inconclusive',
    explanation: `No known limiter, of whatever limit, explains the answers on ${stream.label}. ${requests(judged.mostAdmitted.atLeast)} at most surely passed within ${seconds(promised.windowNs)}, which does not prove the limit broken.`,
  };
}

/** Nothing was refused: was there reason to? */
function unrefused(
  judged: JudgedStream,
  fitting: readonly CandidateFit[],
): { readonly verdict: Verdict; readonly explanation: string } {
  const { fit, promised, stream } = judged;
  const [lenient] = fitting;
  if (lenient !== undefined) {
    return {
      verdict: 'inconclusive',
      explanation: `Nothing on ${stream.label} was refused, and a ${lenient.name} of ${pace(promised)} would not have refused anything either: the load did not go far enough past the limit.`,
    };
  }
  const substitute = refusedOtherwise(judged);
  if (substitute !== undefined) {
    return {
      verdict: 'fail',
      explanation: `Past ${pace(promised)} ${stream.label} was refused with ${substitute.status} instead of 429 (${count(substitute.times)} times).`,
    };
  }
  return {
    verdict: 'fail',
    explanation: `The limit is not enforced on ${stream.label}: ${requests(fit.admitted)} passed and none was refused, ${count(judged.mostAdmitted.atLeast)} of them within ${seconds(promised.windowNs)}. Every limiter of ${pace(promised)} would have refused some.`,
  };
}

/** Statuses with a meaning of their own in the interface, or that a redirect or success may have. */
const otherMeaning = new Set([401, 402, 404, 422]);

/** A status that came often in place of 429, if there is one. */
function refusedOtherwise(
  judged: JudgedStream,
): { readonly status: number; readonly times: number; readonly seqs: readonly number[] } | undefined {
  const bySeqs = new Map<number, number[]>();
  for (const { status, seq } of judged.stream.requests) {
    if (status === null || status < 400 || status === 429 || otherMeaning.has(status)) continue;
    const seqs = bySeqs.get(status) ?? [];
    seqs.push(seq);
    bySeqs.set(status, seqs);
  }
  const [most] = [...bySeqs].toSorted(([, a], [, b]) => b.length - a.length);
  if (most === undefined) return undefined;
  return { status: most[0], times: most[1].length, seqs: most[1] };
}

function confirmed(
  judged: JudgedStream,
  fitting: readonly CandidateFit[],
  best: CandidateFit,
): { readonly verdict: Verdict; readonly explanation: string } {
  const { promised, stream } = judged;
  const tolerance = Math.max(2, vagueness * promised.requests);
  const isTight = fitting.some(
    ({ limits }) => limits?.max !== undefined && limits.max - limits.min <= 2 * tolerance,
  );
  if (!isTight) {
    return {
      verdict: 'inconclusive',
      explanation: `The refusals on ${stream.label} narrow the limit no further than to ${limitsOf(best, judged)}.`,
    };
  }
  return {
    verdict: 'pass',
    explanation: `A ${best.name} of ${pace(promised)} explains every answer on ${stream.label}: ${requests(judged.fit.limited)} refused, ${count(judged.fit.admitted)} admitted${
      fitting.length > 1
        ? ` (so does a ${fitting
            .slice(1)
            .map((each) => each.name)
            .join(', a ')})`
        : ''
    }.`,
  };
}

function limitsOf(fit: CandidateFit, judged: JudgedStream): string {
  const { min, max } = fit.limits ?? { min: 0 };
  const span = seconds(judged.promised.windowNs);
  if (max === undefined) return `at least ${count(min)} per ${span}`;
  return max === min ? `${count(min)} per ${span}` : `${count(min)} to ${count(max)} per ${span}`;
}

function observedOf(judged: JudgedStream): Shown {
  return {
    admitted: judged.fit.admitted,
    limited: judged.fit.limited,
    limits_that_fit: Object.fromEntries(
      judged.fit.candidates.map((each) => [
        each.name,
        each.limits === undefined ? 'refuted' : { ...each.limits },
      ]),
    ),
  };
}

function evidenceOf(judged: JudgedStream): readonly Evidence[] {
  const { fit, trace, stream } = judged;
  const shown: Evidence[] = [];
  if (fit.limited === 0) {
    const substitute = refusedOtherwise(judged);
    if (substitute !== undefined) shown.push(evidence(`answered ${substitute.status}`, substitute.seqs));
    return shown;
  }
  const [best] = [...survivors(fit), ...otherwise(fit)];
  for (const each of best === undefined ? fit.candidates : [best]) {
    const seqs = [each.tightest.admission, each.tightest.refusal].flatMap((index) =>
      index === undefined ? [] : [seqAt(trace, index)],
    );
    const what = each.limits === undefined ? 'refute' : 'bound the limit of';
    shown.push(evidence(`an admission and a refusal on ${stream.label} that ${what} a ${each.name}`, seqs));
  }
  return shown;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
