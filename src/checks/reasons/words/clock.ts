import { span } from '../../../amounts.ts';

/** When the target's clock was set, and by how much. */
export interface SteppedClock {
  readonly byMs: number;
  readonly atMs: number;
}

export function steppedText({ atMs, byMs }: SteppedClock): string {
  const by = span(Math.round(Math.abs(byMs) / 100) * 100);
  return `By its \`Date\` headers, the clock of the target was set ${byMs < 0 ? 'back' : 'forward'} by about ${by}, ${span(Math.round(atMs / 100) * 100)} after the start of the run.`;
}
