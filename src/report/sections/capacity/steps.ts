import { number } from '../../../amounts.ts';
import { kneeConfidence } from '../../../capacity/search.ts';
import type { KneeFound } from '../../../checks/capacity/knee.ts';
import { type OpenStepSeen, whyOf } from '../../../checks/capacity/steps.ts';
import { reasonText } from '../../../checks/reasons/reason.ts';
import type { ChartSeries } from '../../chart.ts';

/** How steps of either model are drawn. */

interface Placed<Step> {
  readonly step: Step;
  readonly x: number;
}

/** Steps of one load stand this part of it beside each other. */
const apart = 0.004;

/** Steps by their load, those of one load side by side. */
export function sideBySide<Step extends Pick<OpenStepSeen, 'load'>>(steps: readonly Step[]): Placed<Step>[] {
  const seen = new Map<number, number>();
  return steps
    .toSorted((a, b) => a.load - b.load)
    .map((step) => {
      const before = seen.get(step.load) ?? 0;
      seen.set(step.load, before + 1);
      return { step, x: step.load * (1 + apart * before) };
    });
}

/** The steps in three series, by outcome; an empty one is left out. */
export function outcomeSeries<Step extends Pick<OpenStepSeen, 'judged'>>(
  points: readonly Placed<Step>[],
  label: string,
  heightOf: (step: Step) => number | null,
): ChartSeries[] {
  const kinds = [
    { outcome: 'good', name: 'kept', colour: 'ok' },
    { outcome: 'bad', name: 'broken', colour: 'server-error' },
    { outcome: 'unclear', name: 'unclear', colour: 'limited' },
  ] as const;
  return kinds
    .filter(({ outcome }) => points.some(({ step }) => step.judged.outcome === outcome))
    .map(({ colour, name, outcome }) => ({
      label: `${label}, ${name}`,
      colour,
      draw: 'marks',
      values: points.map(({ step }) => (step.judged.outcome === outcome ? heightOf(step) : null)),
    }));
}

/** Why a step has its outcome, in words. */
export function stepWhy({ judged }: Pick<OpenStepSeen, 'judged'>): string {
  return whyOf(judged.why).map(reasonText).join(' ');
}

/** Where the knee lies, in a sentence. */
export function kneeInWords({ breaks, keeps }: KneeFound, unit: string): string {
  const sure = `with ${Math.round(kneeConfidence * 100)} % confidence`;
  if (keeps !== undefined && breaks !== undefined)
    return `The knee lies between ${number(keeps)} and ${number(breaks)} ${unit}, ${sure}.`;
  if (keeps !== undefined)
    return `${number(keeps)} ${unit} keep the promise; the load that breaks it is not certain.`;
  if (breaks !== undefined)
    return `${number(breaks)} ${unit} break the promise; the load that keeps it is not certain.`;
  return 'The knee is not certain.';
}
