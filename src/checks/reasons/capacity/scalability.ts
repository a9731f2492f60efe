import { counted, number, percent, verb } from '../../../amounts.ts';
import { wording } from '../wording.ts';

const doubts = {
  'no-bend': 'the steps show no bend, so its place is not known',
  'decline-invented': 'the law has a decline that was not measured',
  uncertain: 'the steps fit too many laws',
} as const;

function digits(value: number): string {
  return number(Number(value.toPrecision(2)));
}

/** Reasons for the law of throughput by concurrency. */
export const scalabilityReasons = {
  'scalability-few-loads': wording(
    { loads: 2, needed: 4 },
    ({ loads, needed }) =>
      `A law with three unknowns needs ${counted(needed, 'different load')}; ${number(loads)} ${verb(loads, 'was', 'were')} measured.`,
  ),
  'scalability-narrow': wording(
    { least: 1, most: 3 },
    ({ least, most }) =>
      `The loads are too close together to show a bend: the fewest connections are ${number(least)}, the most are ${number(most)}.`,
  ),
  'scalability-left-out': wording(
    { steps: 3 },
    ({ steps }) => `Left out: ${counted(steps, 'step')} that a limit or the generator held up.`,
  ),
  'scalability-scatter': wording(
    { scatter: 0.35 },
    ({ scatter }) =>
      `The steps scatter by ${percent(scatter)} about the best law, so no law describes them. The target, or its machine, was not the same throughout. Nothing is said beyond the measured connections.`,
  ),
  'scalability-contention': wording<{ sigma: number | null }>({ sigma: 0.1 }, ({ sigma }) =>
    sigma === null
      ? 'The steps show no contention: σ cannot be told from 0.'
      : `The steps show contention: σ = ${digits(sigma)}.`,
  ),
  'scalability-coherency': wording<{ kappa: number | null; peak: number | null }>(
    { kappa: 0.01, peak: 9 },
    ({ kappa, peak }) =>
      kappa === null
        ? 'The steps show no coherency cost: κ cannot be told from 0, or no decline was measured. No peak is claimed.'
        : `The coherency cost is κ = ${digits(kappa)}${peak === null ? '' : `: throughput is highest at about ${counted(peak, 'connection')} and falls beyond`}.`,
  ),
  'scalability-trusted': wording(
    { measuredTo: 16, trustedTo: 32, perSecond: 228 },
    ({ measuredTo, perSecond, trustedTo }) =>
      `Measured with up to ${counted(measuredTo, 'connection')}; the law holds up to ${number(trustedTo)}, with ${counted(perSecond, 'request')} per second, and no further.`,
  ),
  'scalability-untrusted': wording<{ measuredTo: number; doubt: keyof typeof doubts }>(
    { measuredTo: 16, doubt: 'no-bend' },
    ({ doubt, measuredTo }) =>
      `Measured with up to ${counted(measuredTo, 'connection')}; nothing is known beyond: ${doubts[doubt]}.`,
  ),
} as const;
