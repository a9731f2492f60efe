import { number } from '../../amounts.ts';
import { isSaturated } from '../../capacity/saturated.ts';
import {
  mostScatter,
  type Scalability,
  scalabilityOf,
  type TooLittle,
  uslConfidence,
} from '../../capacity/trust.ts';
import { throughputAt } from '../../capacity/usl.ts';
import type { Bounds, Interval } from '../../vocabulary/bounds.ts';
import type { CheckFinding, Shown } from '../core/verdict.ts';
import { type Reason, reason } from '../reasons/reason.ts';
import type { Capacity } from './steps.ts';

const expected = `X(N) = λN / (1 + σ(N − 1) + κN(N − 1)), its steps within ${number(mostScatter * 100)} % of it`;

/** What more concurrency brings, and how far beyond what was measured that may be said. */
export function checkScalability(capacity: Capacity): CheckFinding {
  const fit = scalabilityIn(capacity);
  const common = { id: 'capacity.scalability', expected, evidence: [] } as const;
  if ('why' in fit) {
    return {
      ...common,
      verdict: 'inconclusive',
      observed: null,
      reasons: [whyTooLittle(fit), ...leftOutOf(capacity)],
    };
  }
  const isFollowed = fit.scatter <= mostScatter;
  return {
    ...common,
    verdict: isFollowed ? 'pass' : 'inconclusive',
    observed: shownFit(fit),
    reasons: isFollowed
      ? [...costs(fit), reach(fit)]
      : [reason('scalability-scatter', { scatter: fit.scatter })],
  };
}

/** The law through the usable steps of the closed loop. */
export function scalabilityIn(capacity: Pick<Capacity, 'closed'>): Scalability | TooLittle {
  return scalabilityOf(usable(capacity).map(({ load, perSecond }) => ({ n: load, perSecond })));
}

/** Steps that neither a limit nor the generator itself held up. */
function usable({ closed }: Pick<Capacity, 'closed'>): Capacity['closed'] {
  return closed.filter(
    (step) =>
      step.perSecond > 0 &&
      !isSaturated(step) &&
      (step.judged.outcome === 'good' || step.judged.outcome === 'bad'),
  );
}

function whyTooLittle({ why }: TooLittle): Reason {
  return why.kind === 'few-loads'
    ? reason('scalability-few-loads', { loads: why.loads, needed: why.needed })
    : reason('scalability-narrow', { least: why.least, most: why.most });
}

function leftOutOf(capacity: Capacity): Reason[] {
  const steps = capacity.closed.length - usable(capacity).length;
  return steps === 0 ? [] : [reason('scalability-left-out', { steps })];
}

function costs({ isKappaSeen, isSigmaSeen, peak, usl }: Scalability): Reason[] {
  return [
    reason('scalability-contention', { sigma: isSigmaSeen ? usl.sigma : null }),
    reason('scalability-coherency', {
      kappa: isKappaSeen ? usl.kappa : null,
      peak: peak === undefined ? null : Math.round(peak),
    }),
  ];
}

/** How far the extrapolation may be trusted. */
function reach({ doubt, measuredTo, trustedTo, usl }: Scalability): Reason {
  return doubt === undefined
    ? reason('scalability-trusted', {
        measuredTo,
        trustedTo,
        perSecond: Math.round(throughputAt(usl, trustedTo)),
      })
    : reason('scalability-untrusted', { measuredTo, doubt });
}

function shownFit({ bounds, measuredTo, peak, scatter, trustedTo, usl }: Scalability): Shown {
  return {
    'λ, requests per second of one': shownBounds(usl.lambda, bounds.lambda),
    'σ, contention': shownBounds(usl.sigma, bounds.sigma),
    'κ, coherency': shownBounds(usl.kappa, bounds.kappa),
    'peak, connections': peak === undefined ? null : Math.round(peak),
    'scatter of the steps': Number(scatter.toPrecision(2)),
    'measured to, connections': measuredTo,
    'trusted to, connections': trustedTo,
  };
}

function shownBounds(value: number, { max, min }: Bounds): Shown {
  const interval: Interval = { min: Number(min.toPrecision(3)), max: Number(max.toPrecision(3)) };
  return { 'best fit': Number(value.toPrecision(3)), [`${number(uslConfidence * 100)} %`]: interval };
}
