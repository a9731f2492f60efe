import { type HeaderFault, repeatedly } from './finding.ts';

/** How values compare with what the fitted limiter allows. */
interface WrongCount {
  readonly compared: number;
  /** Beyond doubt on the wrong side, whichever that is, with the `seq`s of the answers that say so. */
  readonly wrong: readonly number[];
}

/** A limiter that is right has no value beyond doubt wrong; a clock that was set meanwhile may make a few. */
const wrongPart = 0.01;

/** Whether more values are wrong than an accident explains. */
export function isSystematic({ compared, wrong }: WrongCount): boolean {
  return wrong.length >= repeatedly && wrong.length > wrongPart * compared;
}

/**
 * Whether values are wrong at this number of separate times, with right ones in between: a clock that was set makes all wrong
 * for one time. Both lists ascend.
 */
export function isScattered(wrong: readonly number[], right: readonly number[]): boolean {
  let episodes = 0;
  let at = 0;
  let seen = -1;
  for (const seq of wrong) {
    while (at < right.length && (right[at] as number) < seq) at++;
    if (at !== seen) episodes++;
    seen = at;
  }
  return episodes >= repeatedly;
}

export function faultIfSystematic<What>(held: WrongCount, what: What): HeaderFault<What>[] {
  return isSystematic(held) ? [{ what, seqs: held.wrong }] : [];
}
