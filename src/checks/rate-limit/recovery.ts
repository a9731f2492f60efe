import { counted, times } from '../../amounts.ts';
import { refusalsPermitted } from '../../limits/permitted.ts';
import { limited } from '../../limits/trace.ts';
import { fits, type Suspect, shown } from '../diagnosis/cause.ts';
import { type CheckResult, evidence } from '../verdict.ts';
import { type JudgedStream, seqsWhere, survivors, unprovenBy, wasAdmitted } from './judged.ts';
import { mergeStreams, type StreamPart } from './merge.ts';
import { tooManyRefused } from './suspects.ts';
import { capital, pace } from './words.ts';

/** Once a key has been quiet for long enough by every reading, it is admitted again. */
export function judgeRecovery(streams: readonly JudgedStream[]): CheckResult {
  return mergeStreams(
    {
      id: 'rate-limit.recovery',
      title: 'Requests are admitted again after the overload',
      expected: 'every request admitted once the load before it is below the limit by every reading',
    },
    streams,
    judgeOne,
  );
}

function judgeOne(judged: JudgedStream): StreamPart {
  const { trace, stream, refusalPermitted, promised } = judged;
  // Refusals that were due mark the overload; others are for the check of wrongful refusals.
  const overloaded = trace.outcome.findIndex(
    (outcome, i) => outcome === limited && refusalPermitted[i] === 1,
  );
  const quiet = (i: number): boolean => overloaded >= 0 && i > overloaded && refusalPermitted[i] === 0;
  const refused = seqsWhere(trace, (i) => quiet(i) && trace.outcome[i] === limited);
  const sure = seqsWhere(trace, (i) => quiet(i) && wasAdmitted(trace, i));
  const passed = sure.length > 0 ? sure : passedBySurvivors(judged, overloaded);
  const observed = { admitted_when_quiet: passed.length, refused_when_quiet: refused.length };
  const honest = refused.length > 0 ? unprovenBy(judged) : undefined;
  if (honest !== undefined) {
    return {
      verdict: 'inconclusive',
      observed,
      explanation: `${capital(stream.label)} was still refused ${times(refused.length)} when most limiters would have recovered; a ${honest.name} of ${pace(promised)} would not have.`,
      evidence: [evidence('429s after the overload was over', refused)],
    };
  }
  if (refused.length > 0) {
    return {
      verdict: 'fail',
      observed,
      causes: whyRefused(judged, refused),
      explanation: `${capital(stream.label)} was still refused ${times(refused.length)} when every limiter of ${pace(promised)} would have recovered.`,
      evidence: [evidence('429s after the overload was over', refused)],
    };
  }
  if (passed.length === 0) {
    return {
      verdict: 'inconclusive',
      observed,
      explanation:
        overloaded < 0
          ? `Nothing on ${stream.label} was refused past the limit, so there was nothing to recover from.`
          : `No request on ${stream.label} was answered late enough after the overload to tell.`,
      evidence: [],
    };
  }
  return {
    verdict: 'pass',
    observed,
    explanation: `After the overload ${counted(passed.length, 'request')} on ${stream.label} came when the load was below the limit by every ${sure.length > 0 ? 'reading' : 'limiter that explains the answers'}; all were admitted.`,
    evidence: [evidence('admitted after the overload', passed)],
  };
}

/** A key that is never let in again is blocked; one that is let in between is only refused too early. */
function whyRefused(judged: JudgedStream, refused: readonly number[]): Suspect[] {
  const { promised, stream, trace } = judged;
  const first = trace.seq.indexOf(refused[0] ?? Number.NaN);
  const last = trace.seq.indexOf(refused.at(-1) ?? Number.NaN);
  if (trace.outcome.some((_, i) => i > first && wasAdmitted(trace, i)))
    return tooManyRefused(judged, refused);
  const isLong = (trace.sentNs[last] ?? 0) - (trace.answeredNs[first] ?? 0) > promised.windowNs;
  return [(isLong ? shown : fits)('key-stays-refused', { role: stream.label }, refused.slice(-4))];
}

/**
 * Admitted after the overload, when no limiter could refuse that explains every answer. Others might have refused for up to
 * two windows, longer than a run may go on; only to accuse a target do they have to be excluded as well.
 */
function passedBySurvivors({ fit, promised, trace }: JudgedStream, overloaded: number): number[] {
  const kinds = new Set(survivors(fit).map(({ candidate }) => candidate.algorithm));
  if (overloaded < 0 || kinds.size === 0) return [];
  const permitted = [...kinds].map((kind) => refusalsPermitted(trace, promised, kind));
  return seqsWhere(
    trace,
    (i) => i > overloaded && wasAdmitted(trace, i) && permitted.every((each) => each[i] === 0),
  );
}
