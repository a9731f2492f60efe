import { counted, noneOf, number, seconds, verb } from '../../../../amounts.ts';
import { wording } from '../../wording.ts';
import { comparedWith, type FittedKinds, fittedExample } from '../fitted.ts';

/** Reasons of the check of `Retry-After`. */
export const adviceReasons = {
  'retry-after-negative': wording(
    { answers: 12 },
    ({ answers }) => `Retry-After is negative in ${counted(answers, 'answer')}.`,
  ),
  'retry-after-over-a-day': wording(
    { answers: 12 },
    ({ answers }) =>
      `Retry-After asks for more than a day in ${counted(answers, 'answer')}. It looks like a point in time or milliseconds, not seconds.`,
  ),
  'retry-after-rejected-again': wording(
    { rejected: 4, waited: 5 },
    ({ rejected, waited }) =>
      `Expected admission after the wait that the answer asks for; ${number(rejected)} of ${counted(waited, 'such request')} got 429 again. No other request came in between.`,
  ),
  'retry-after-too-short': wording<{
    early: number;
    compared: number;
    byMs: number;
    fitted: FittedKinds;
  }>(
    { early: 30, compared: 312, byMs: 1_200, fitted: fittedExample },
    ({ byMs, compared, early, fitted }) =>
      `Expected a wait until the limiter admits again. Of ${counted(compared, 'wait')}, ${number(early)} ${verb(early, 'is', 'are')} too short, by up to ${seconds(byMs)}. ${comparedWith(fitted)}`,
  ),
  'retry-after-too-long': wording(
    { askedMs: 120_000, neededMs: 12_000, windowMs: 60_000 },
    (wait) =>
      `Retry-After asks for ${seconds(wait.askedMs)}, but the same key was admitted again within ${seconds(wait.neededMs)}. No limiter with a window of ${seconds(wait.windowMs)} needs such a wait.`,
  ),
  'retry-after-waits': wording<{
    by: 'retry-after' | 'reset';
    answers: number;
    waited: number;
    admitted: number;
    /** Requests before the end of the wait. */
    early: number;
    earlyAdmitted: number;
  }>({ by: 'retry-after', answers: 30, waited: 5, admitted: 5, early: 4, earlyAdmitted: 3 }, (params) => {
    const { admitted, answers, by, early, earlyAdmitted, waited } = params;
    const came = `${by === 'reset' ? 'A reset' : 'Retry-After'} was in ${counted(answers, 'answer')} with 429.`;
    if (waited === 0 && earlyAdmitted === 0) return `${came} No request tested that wait.`;
    return waited === 0
      ? `${came} No request waited that long. Of ${counted(early, 'request')} before the end of the wait, ${number(earlyAdmitted)} ${verb(earlyAdmitted, 'was', 'were')} already admitted, so a full wait is long enough for ${verb(earlyAdmitted, 'it', 'them')}.`
      : `${came} Of ${counted(waited, 'request')} after that wait, ${number(admitted)} ${verb(admitted, 'was', 'were')} admitted${admitted === waited ? `: ${noneOf(waited)}` : ''}.`;
  }),
  'retry-after-few-tested': wording(
    { tested: 1, advices: 30 },
    ({ advices, tested }) =>
      `Only ${number(tested)} of ${counted(advices, 'stated wait')} ${verb(tested, 'was', 'were')} tested: too few for a pass.`,
  ),
  'retry-after-none-too-short': wording<{ compared: number; fitted: FittedKinds }>(
    { compared: 312, fitted: fittedExample },
    ({ compared, fitted }) =>
      `In ${counted(compared, 'answer')} with 429, the stated wait is consistent with the limiter: ${noneOf(compared)}. ${comparedWith(fitted)}`,
  ),
  'retry-after-few-too-short': wording<{
    early: number;
    compared: number;
    byMs: number;
    fitted: FittedKinds;
  }>(
    { early: 2, compared: 312, byMs: 1_200, fitted: fittedExample },
    ({ byMs, compared, early, fitted }) =>
      `Of ${counted(compared, 'wait')}, ${number(early)} ${verb(early, 'is', 'are')} too short, by up to ${seconds(byMs)}: too few to exclude an accident. ${comparedWith(fitted)}`,
  ),
  'retry-after-longer': wording(
    { late: 12, compared: 312, byMs: 3_000 },
    ({ byMs, compared, late }) =>
      `Of ${counted(compared, 'wait')}, ${number(late)} ${verb(late, 'is', 'are')} over a second longer than needed, by up to ${seconds(byMs)}: cautious, but not wrong.`,
  ),
  'retry-after-longest': wording(
    { askedMs: 60_000, neededMs: 12_000 },
    ({ askedMs, neededMs }) =>
      `The longest wait is ${seconds(askedMs)}, but the same key was admitted again within ${seconds(neededMs)}: cautious, but not wrong.`,
  ),
} as const;
