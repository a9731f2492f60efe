import { number, span } from '../../../amounts.ts';
import type { TimeSlots, TrailingAdmitted } from '../../../checks/rate-limit/study/time-slots.ts';
import type { RateLimit } from '../../../vocabulary/quantities.ts';
import type { Band, Chart, ChartColour } from '../../chart.ts';

const colours: readonly ChartColour[] = ['line-a', 'line-b', 'other', 'over-quota'];

/** What each key was admitted in the trailing window over the study, against the promised limit. */
export function trailingChart(
  keys: readonly TrailingAdmitted[],
  { requests, windowMs }: RateLimit,
  slots: TimeSlots,
  bands: readonly Band[],
): Chart | undefined {
  const used = keys.filter(({ most }) => most.some((value) => value !== null && value > 0));
  if (used.length === 0) return undefined;
  const peaks = used.map(({ label, most }) => ({
    label,
    peak: most.reduce<number>((a, b) => Math.max(a, b ?? 0), 0),
  }));
  return {
    id: 'limiter-trailing',
    title: `Admitted in the trailing ${windowMs === 60_000 ? 'minute' : span(windowMs)}, by key`,
    unit: '2xx answers during the study, by the time of sending; the verdict covers the whole run',
    summary: `Requests admitted within any ${span(windowMs)} that ends in the study: ${peaks.map(({ label, peak }) => `${label} at most ${number(peak)}`).join(', ')}; the limit promised is ${number(requests)}.`,
    scale: 'linear',
    x: slotSeconds(slots),
    series: used.map(({ label, most }, at) => ({
      label,
      colour: colours[at % colours.length] ?? 'other',
      draw: 'line',
      values: most,
      summary: `at most ${number(peaks[at]?.peak ?? 0)} during the study`,
    })),
    limits: [{ value: requests, label: `promised limit, ${number(requests)}` }],
    bands,
  };
}

/** Where each slot begins, in seconds of the run. */
export function slotSeconds({ fromNs, widthNs, count }: TimeSlots): number[] {
  return Array.from({ length: count }, (_, slot) => Math.round((fromNs + slot * widthNs) / 1e7) / 100);
}
