import { counted, noneOf, number, seconds, verb } from '../../../../amounts.ts';
import { wording } from '../../wording.ts';
import { comparedWith, type Fitted } from '../fitted.ts';

const fitted: Fitted = { kinds: ['fixed window'], requests: 100, windowMs: 6_000 };

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
    fitted: Fitted;
  }>(
    { early: 30, compared: 312, byMs: 1_200, fitted },
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
  }>({ by: 'retry-after', answers: 30, waited: 5, admitted: 5 }, ({ admitted, answers, by, waited }) => {
    const came = `${by === 'reset' ? 'A reset' : 'Retry-After'} came with ${counted(answers, 'answer')} with 429.`;
    return waited === 0
      ? `${came} No request waited for exactly that long without other requests in between.`
      : `${came} Of ${counted(waited, 'request')} after that wait, ${number(admitted)} ${verb(admitted, 'was', 'were')} admitted.`;
  }),
  'retry-after-none-too-short': wording<{ compared: number; fitted: Fitted }>(
    { compared: 312, fitted },
    ({ compared, fitted }) =>
      `Of ${counted(compared, 'wait')}, none is too short: ${noneOf(compared)}. ${comparedWith(fitted)}`,
  ),
  'retry-after-few-too-short': wording<{ early: number; compared: number; byMs: number; fitted: Fitted }>(
    { early: 2, compared: 312, byMs: 1_200, fitted },
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
