import { problemField } from '../../../history/record.ts';
import { rowsWhere, type SentRequests, wordAt } from '../../../limits/sent/columns.ts';
import { shown } from '../../causes/cause.ts';
import { type CheckFinding, evidenceIfAny } from '../../core/verdict.ts';
import { type Reason, reason } from '../../reasons/reason.ts';
import { admissionsAfter, type RetryAfter, retryAfters } from './advice.ts';
import { repeatedly } from './comparison.ts';
import { aheadOf, isUsual, usualNs, type WaitContext, waysWrong, wrongFormOf } from './readings.ts';

/** Whether a Retry-After can be true. */
interface JudgedWait extends RetryAfter {
  /** `doubtful`: odd, but not certainly wrong. */
  readonly plausibility: 'plausible' | 'doubtful' | 'impossible';
  /** Why it is not plausible, with the header's text as an example. */
  readonly reason?: Reason;
  /** A wait that only what happened afterwards can tell to be wrong. */
  readonly longNs?: number;
}

/** No limit by the minute or hour locks a key out for longer; such a number is an epoch time, or milliseconds. */
const dayNs = 86_400e9;

/**
 * Judges the text of a Retry-After. A wait of up to two windows may be asked for by any limiter, a longer one by a limiter
 * that locks a key out for a while: that it is longer is not wrong in itself.
 */
function judgeWait(given: RetryAfter, context: WaitContext): JudgedWait {
  const { form, text, value } = given;
  const impossible = (why: Reason): JudgedWait => ({ ...given, plausibility: 'impossible', reason: why });
  const wrong = wrongFormOf(form);
  if (wrong !== undefined) {
    const why = reason(wrong.code, { text });
    return form === 'zero' && !context.isShortestWait
      ? { ...given, plausibility: 'doubtful', reason: why }
      : impossible(why);
  }
  if (value === undefined || isUsual(value, given, context)) return { ...given, plausibility: 'plausible' };
  const { hiNs, loNs } = aheadOf(value, given, context);
  // The target's clock may be off by more than a window; without its own `Date`, the date alone then proves nothing.
  const isDoubtful = form === 'http-date' && !context.clock.isKnown;
  if (hiNs < 0)
    return isDoubtful
      ? { ...given, plausibility: 'plausible' }
      : impossible(reason('rejections-past-date', { text, agoMs: -hiNs / 1e6 }));
  const waitMs = loNs / 1e6;
  if (form === 'seconds' && loNs > dayNs)
    return impossible(reason('rejections-over-a-day', { text, waitMs }));
  const windowMs = context.promised.windowNs / 1e6;
  const why = reason('rejections-long-wait', { text, waitMs, windowMs });
  return { ...given, plausibility: 'doubtful', reason: why, ...(isDoubtful ? {} : { longNs: loNs }) };
}

/**
 * Long waits are impossible where the same key was admitted again well before they were over, beyond what a limiter may ask
 * for anyway. Each is contradicted by several admissions: an operator may cause a single one.
 */
function notHeld(
  all: readonly JudgedWait[],
  sent: SentRequests,
  context: WaitContext,
): readonly JudgedWait[] {
  const admissionAfter = admissionsAfter(sent);
  const early = new Set(
    all.filter(({ answeredNs, longNs, row }) => {
      const third = longNs === undefined ? undefined : admissionAfter(row, repeatedly);
      const untilNs = answeredNs + (longNs ?? 0) - usualNs(context);
      return third !== undefined && (sent.sentNs[third] as number) < untilNs;
    }),
  );
  if (early.size < repeatedly) return all;
  return all.map((each) => {
    if (!early.has(each)) return each;
    const waitMs = (each.longNs ?? 0) / 1e6;
    const why = reason('rejections-admitted-earlier', { text: each.text, waitMs, admissions: repeatedly });
    return { ...each, plausibility: 'impossible', reason: why };
  });
}

/** Whether each Retry-After can be true: by its text, and a long wait by what became of it. */
export function judgeRejections(sent: SentRequests, context: WaitContext): CheckFinding {
  const rejected = rowsWhere(sent, (row) => sent.status[row] === 429);
  const head = {
    id: 'rate-limit.rejections',
    expected: { retry_after: 'absent, or a wait that later answers do not contradict' },
  } as const;
  if (rejected.length === 0)
    return {
      ...head,
      verdict: 'inconclusive',
      observed: { rejected: 0 },
      reasons: [reason('rejections-none')],
      evidence: [],
    };
  const byText = retryAfters(sent, rejected).map((each) => judgeWait(each, context));
  const all = notHeld(byText, sent, context);
  const impossible = all.filter(({ plausibility }) => plausibility === 'impossible');
  const doubtful = all.filter(({ plausibility }) => plausibility === 'doubtful');
  const [example = doubtful[0]] = impossible;
  const count =
    impossible.length > 0
      ? reason('rejections-impossible', { values: impossible.length })
      : reason('rejections-doubtful', { values: doubtful.length });
  const seqs = impossible.map(({ seq }) => seq);
  // Only what happened afterwards shows that a wait is too long which may be meant.
  const otherwise = { how: 'too long', example: `a header says ${example?.text}` };
  return {
    ...head,
    verdict: impossible.length > 0 ? 'fail' : 'pass',
    observed: {
      rejected: rejected.length,
      with_retry_after: all.length,
      limit_headers: headerNames(new Set(Array.from(rejected, (row) => wordAt(sent.limitHeaders, row)))),
    },
    reasons: [
      ...(example?.reason === undefined ? [] : [count, example.reason]),
      all.length === 0
        ? reason('rejections-without-retry-after')
        : reason('rejections-with-retry-after', { given: all.length, rejected: rejected.length }),
    ],
    causes:
      impossible.length === 0
        ? []
        : [shown('retry-after-wrong', waysWrong(impossible, context) ?? otherwise, seqs)],
    evidence: [
      ...evidenceIfAny('Retry-After that cannot be true', seqs),
      ...evidenceIfAny(
        'Retry-After in doubt',
        doubtful.map(({ seq }) => seq),
      ),
    ],
  };
}

/** `limit_headers` holds `name: value` pairs, joined by ` | `. */
function headerNames(said: ReadonlySet<string | null>): string[] {
  const names = [...said]
    .flatMap((headers) => headers?.split(' | ') ?? [])
    .map((pair) => pair.slice(0, Math.max(0, pair.indexOf(':'))).toLowerCase());
  return [...new Set(names)].filter((name) => name !== problemField).toSorted();
}
