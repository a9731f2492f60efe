import { counted, number, span } from '../../../amounts.ts';

/** When the target's clock was set, and by how much. */
export interface SteppedClock {
  readonly byMs: number;
  readonly atMs: number;
}

/** The requests on each side of it, which are judged apart. */
export interface SteppedApart extends SteppedClock {
  readonly before: number;
  readonly after: number;
}

export function steppedText({ atMs, byMs }: SteppedClock): string {
  const by = span(Math.round(Math.abs(byMs) / 100) * 100);
  return `By its \`Date\` headers, the clock of the target was set ${byMs < 0 ? 'back' : 'forward'} by about ${by}, ${span(Math.round(atMs / 100) * 100)} after the start of the run.`;
}

/** Which of the two sides shows what the check finds. */
export function sidesText({ after, before, shownBy }: SteppedApart & ShownBy): string {
  const [first, later] = [`the ${counted(before, 'request')} before it`, `the ${number(after)} after it`];
  switch (shownBy) {
    case 'before':
      return `By themselves, ${first} show a fault.`;
    case 'after':
      return `By themselves, ${later} show a fault.`;
    case 'each':
      return `So ${first} and ${later} are judged apart. Rejections soon after it are left out: earlier requests may explain them.`;
    case 'neither':
      return `Neither ${first} nor ${later} show a fault by themselves. What came across it is not judged.`;
  }
}

export interface ShownBy {
  readonly shownBy: 'before' | 'after' | 'each' | 'neither';
}
