import { counted, noneOf, number, seconds, verb } from '../../../../amounts.ts';
import { comparedWith, type FittedKinds } from '../fitted.ts';

/** Reasons of the check of `Retry-After`. */
export const adviceReasons = {
  'retry-after-negative': ({ answers }: { answers: number }) =>
    `Retry-After is negative in ${counted(answers, 'answer')}.`,
  'retry-after-over-a-day': ({ answers }: { answers: number }) =>
    `Retry-After asks for more than a day in ${counted(answers, 'answer')}. It looks like a point in time or milliseconds, not seconds.`,
  'retry-after-rejected-again': ({ rejected, waited }: { rejected: number; waited: number }) =>
    `Expected admission after the wait that the answer asks for; ${number(rejected)} of ${counted(waited, 'such request')} got 429 again. No other request came in between.`,
  'retry-after-too-short': (params: { early: number; compared: number; byMs: number; fitted: FittedKinds }) =>
    `Expected a wait until the limiter admits again. Of ${counted(params.compared, 'wait')}, ${number(params.early)} ${verb(params.early, 'is', 'are')} too short, by up to ${seconds(params.byMs)}. ${comparedWith(params.fitted)}`,
  'retry-after-too-long': (wait: { askedMs: number; neededMs: number; windowMs: number }) =>
    `Retry-After asks for ${seconds(wait.askedMs)}, but the same key was admitted again within ${seconds(wait.neededMs)}. No limiter with a window of ${seconds(wait.windowMs)} needs such a wait.`,
  'retry-after-waits': (params: {
    by: 'retry-after' | 'reset';
    answers: number;
    waited: number;
    admitted: number /** Requests before the end of the wait. */;
    early: number;
    earlyAdmitted: number;
  }) => {
    const { admitted, answers, by, early, earlyAdmitted, waited } = params;
    const came = `${by === 'reset' ? 'A reset' : 'Retry-After'} was in ${counted(answers, 'answer')} with 429.`;
    if (waited === 0 && earlyAdmitted === 0) return `${came} No request tested that wait.`;
    return waited === 0
      ? `${came} No request waited that long. Of ${counted(early, 'request')} before the end of the wait, ${number(earlyAdmitted)} ${verb(earlyAdmitted, 'was', 'were')} already admitted, so a full wait is long enough for ${verb(earlyAdmitted, 'it', 'them')}.`
      : `${came} Of ${counted(waited, 'request')} after that wait, ${number(admitted)} ${verb(admitted, 'was', 'were')} admitted${admitted === waited ? `: ${noneOf(waited)}` : ''}.`;
  },
  'retry-after-few-tested': ({ advices, tested }: { tested: number; advices: number }) =>
    `Only ${number(tested)} of ${counted(advices, 'stated wait')} ${verb(tested, 'was', 'were')} tested: too few for a pass.`,
  'retry-after-none-too-short': ({ compared, fitted }: { compared: number; fitted: FittedKinds }) =>
    `In ${counted(compared, 'answer')} with 429, the stated wait is consistent with the limiter: ${noneOf(compared)}. ${comparedWith(fitted)}`,
  'retry-after-few-too-short': (params: {
    early: number;
    compared: number;
    byMs: number;
    fitted: FittedKinds;
  }) =>
    `Of ${counted(params.compared, 'wait')}, ${number(params.early)} ${verb(params.early, 'is', 'are')} too short, by up to ${seconds(params.byMs)}: too few to exclude an accident. ${comparedWith(params.fitted)}`,
  'retry-after-not-shortest': (params: {
    late: number;
    compared: number;
    byMs: number;
    fitted: FittedKinds;
  }) =>
    `The profile promises the shortest wait, rounded up to seconds. Of ${counted(params.compared, 'wait')}, ${number(params.late)} ${verb(params.late, 'is', 'are')} longer than needed, by up to ${seconds(params.byMs)}. ${comparedWith(params.fitted)}`,
  'retry-after-beyond-need': (params: {
    beyond: number;
    compared: number;
    longestMs: number;
    fitted: FittedKinds;
  }) =>
    `Expected waits of up to ${seconds(params.longestMs)}, the longest that a limiter of this window needs. Of ${counted(params.compared, 'wait')}, ${number(params.beyond)} ${verb(params.beyond, 'is', 'are')} longer. ${comparedWith(params.fitted)}`,
  'retry-after-longer': ({ byMs, compared, late }: { late: number; compared: number; byMs: number }) =>
    `Of ${counted(compared, 'wait')}, ${number(late)} ${verb(late, 'is', 'are')} over a second longer than needed, by up to ${seconds(byMs)}: cautious, but not wrong.`,
  'retry-after-longest': ({ askedMs, neededMs }: { askedMs: number; neededMs: number }) =>
    `The longest wait is ${seconds(askedMs)}, but the same key was admitted again within ${seconds(neededMs)}: cautious, but not wrong.`,
} as const;
