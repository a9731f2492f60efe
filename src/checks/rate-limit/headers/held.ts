import { type Fault, repeatedly } from './finding.ts';

/** How values compare with what the fitted limiter allows. */
export interface Held {
  readonly compared: number;
  /** Beyond doubt on the wrong side, whichever that is, with the `seq`s of the answers that say so. */
  readonly wrong: readonly number[];
}

/** A limiter that is right has no value beyond doubt wrong; a clock that was set meanwhile may make a few. */
const wrongPart = 0.01;

/** Whether more values are wrong than an accident explains. */
export function isSystematic({ compared, wrong }: Held): boolean {
  return wrong.length >= repeatedly && wrong.length > wrongPart * compared;
}

export function faultIfSystematic<What>(held: Held, what: What): Fault<What>[] {
  return isSystematic(held) ? [{ what, seqs: held.wrong }] : [];
}
