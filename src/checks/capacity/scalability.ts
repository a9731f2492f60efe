import { counted, number, verb } from '../../amounts.ts';
import { isSaturated } from '../../capacity/saturated.ts';
import {
  type Bounds,
  mostScatter,
  type Scalability,
  scalabilityOf,
  type TooLittle,
  uslConfidence,
} from '../../capacity/trust.ts';
import { throughputAt } from '../../capacity/usl.ts';
import type { CheckResult, Interval, Shown } from '../verdict.ts';
import type { Capacity } from './steps.ts';

const title = 'Throughput by concurrency follows the universal scalability law';
const expected = `X(N) = λN / (1 + σ(N − 1) + κN(N − 1)), its steps within ${number(mostScatter * 100)} % of it`;

/** What more concurrency brings, and how far beyond what was measured that may be said. */
export function checkScalability(capacity: Capacity): CheckResult {
  const fit = scalabilityIn(capacity);
  const common = { id: 'capacity.scalability', title, expected, evidence: [] } as const;
  if ('why' in fit) {
    return {
      ...common,
      verdict: 'inconclusive',
      observed: null,
      explanation: `There is too little to fit a law to: ${fit.why}.`,
    };
  }
  const isFollowed = fit.scatter <= mostScatter;
  return {
    ...common,
    verdict: isFollowed ? 'pass' : 'inconclusive',
    observed: shownFit(fit),
    explanation: isFollowed
      ? `${costs(fit)} ${reach(fit)}`
      : `The steps scatter by ${percent(fit.scatter)} about the best law, so it does not describe them: the target, or its machine, was not the same throughout. Nothing is said beyond what was measured.`,
  };
}

/** The law through the steps of the closed loop, without those in which a limit or the generator itself held it up. */
export function scalabilityIn({ closed }: Pick<Capacity, 'closed'>): Scalability | TooLittle {
  const usable = closed.filter(
    (step) =>
      step.perSecond > 0 &&
      !isSaturated(step) &&
      (step.judged.outcome === 'good' || step.judged.outcome === 'bad'),
  );
  const leftOut = closed.length - usable.length;
  const fit = scalabilityOf(usable.map(({ load, perSecond }) => ({ n: load, perSecond })));
  if (!('why' in fit) || leftOut === 0) return fit;
  return {
    why: `${fit.why} (${counted(leftOut, 'step')} ${verb(leftOut, 'was', 'were')} held up by a limit or by the generator itself)`,
  };
}

function costs({ isKappaSeen, isSigmaSeen, peak, usl }: Scalability): string {
  const contention = isSigmaSeen
    ? `Contention is seen, σ = ${digits(usl.sigma)}.`
    : 'No contention is seen (σ cannot be told from 0).';
  const coherency = !isKappaSeen
    ? 'No cost of agreement is seen (κ cannot be told from 0, or no decline was measured), so no peak is claimed.'
    : peak === undefined
      ? `Agreement costs κ = ${digits(usl.kappa)}.`
      : `Agreement costs κ = ${digits(usl.kappa)}: throughput is highest at about ${counted(Math.round(peak), 'connection')} and falls beyond.`;
  return `${contention} ${coherency}`;
}

const doubts: Readonly<Record<NonNullable<Scalability['doubt']>, string>> = {
  'no-bend': 'no bend is seen, so nobody knows where it comes',
  'decline-invented': 'the law has a decline that was not measured',
  uncertain: 'the steps leave too many laws',
};

/** How far the extrapolation may be trusted. */
function reach({ doubt, measuredTo, trustedTo, usl }: Scalability): string {
  return doubt === undefined
    ? `Measured up to ${counted(measuredTo, 'connection')}; the law may be believed up to ${number(trustedTo)}, where it has ${counted(Math.round(throughputAt(usl, trustedTo)), 'request')} a second, and no further.`
    : `Measured up to ${counted(measuredTo, 'connection')}, and not to be believed beyond: ${doubts[doubt]}.`;
}

function shownFit({ bounds, measuredTo, peak, scatter, trustedTo, usl }: Scalability): Shown {
  return {
    'λ, requests per second of one': shownBounds(usl.lambda, bounds.lambda),
    'σ, contention': shownBounds(usl.sigma, bounds.sigma),
    'κ, agreement': shownBounds(usl.kappa, bounds.kappa),
    'peak, connections': peak === undefined ? null : Math.round(peak),
    'scatter of the steps': Number(scatter.toPrecision(2)),
    'measured to, connections': measuredTo,
    'believed to, connections': trustedTo,
  };
}

function shownBounds(value: number, { max, min }: Bounds): Shown {
  const interval: Interval = { min: Number(min.toPrecision(3)), max: Number(max.toPrecision(3)) };
  return { 'best fit': Number(value.toPrecision(3)), [`${number(uslConfidence * 100)} %`]: interval };
}

function digits(value: number): string {
  return String(Number(value.toPrecision(2)));
}

function percent(share: number): string {
  return `${number(Math.round(share * 100))} %`;
}
