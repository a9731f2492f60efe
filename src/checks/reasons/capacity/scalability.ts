import { counted, number, percent, verb } from '../../../amounts.ts';

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
  'scalability-few-loads': ({ loads, needed }: { loads: number; needed: number }) =>
    `A law with three unknowns needs ${counted(needed, 'different load')}; ${number(loads)} ${verb(loads, 'was', 'were')} measured.`,
  'scalability-narrow': ({ least, most }: { least: number; most: number }) =>
    `The loads are too close together to show a bend: the fewest connections are ${number(least)}, the most are ${number(most)}.`,
  'scalability-left-out': ({ steps }: { steps: number }) =>
    `Left out: ${counted(steps, 'step')} that a limit or the generator held up.`,
  'scalability-scatter': ({ scatter }: { scatter: number }) =>
    `The steps scatter by ${percent(scatter)} about the best law, so no law describes them. The target, or its machine, was not the same throughout. Nothing is said beyond the measured connections.`,
  'scalability-contention': ({ sigma }: { sigma: number | null }) =>
    sigma === null
      ? 'The steps show no contention: σ cannot be told from 0.'
      : `The steps show contention: σ = ${digits(sigma)}.`,
  'scalability-coherency': ({ kappa, peak }: { kappa: number | null; peak: number | null }) =>
    kappa === null
      ? 'The steps show no coherency cost: κ cannot be told from 0, or no decline was measured. No peak is claimed.'
      : `The coherency cost is κ = ${digits(kappa)}${peak === null ? '' : `: throughput is highest at about ${counted(peak, 'connection')} and falls beyond`}.`,
  'scalability-trusted': (params: { measuredTo: number; trustedTo: number; perSecond: number }) =>
    `Measured with up to ${counted(params.measuredTo, 'connection')}; the law holds up to ${number(params.trustedTo)}, with ${counted(params.perSecond, 'request')} per second, and no further.`,
  'scalability-untrusted': ({ doubt, measuredTo }: { measuredTo: number; doubt: keyof typeof doubts }) =>
    `Measured with up to ${counted(measuredTo, 'connection')}; nothing is known beyond: ${doubts[doubt]}.`,
} as const;
