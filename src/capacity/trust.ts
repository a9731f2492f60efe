import { randomStream } from '../random.ts';
import type { Bounds } from '../vocabulary/bounds.ts';
import { fitUsl, type LoadPoint, peakOf, residualsOf, throughputAt, type Usl } from './usl.ts';

/** How certain a fit of the scalability law is, and how far beyond the measurements it is valid. */

interface CurvePoint {
  readonly n: number;
  readonly perSecond: number;
  readonly bounds: Bounds;
}

export interface Scalability {
  readonly usl: Usl;
  readonly bounds: { readonly lambda: Bounds; readonly sigma: Bounds; readonly kappa: Bounds };
  /** Root mean square of the relative residuals. */
  readonly scatter: number;
  /** The most connections that were measured. */
  readonly measuredTo: number;
  /** The most connections that the law may be believed at; `measuredTo` when no further. */
  readonly trustedTo: number;
  /**
   * Why it holds only as far as measured: no bend was seen, so its place is unknown; a decline that the law has and
   * the steps have not; or bounds that are too wide.
   */
  readonly doubt: 'no-bend' | 'decline-invented' | 'uncertain' | undefined;
  /** Whether the steps can tell σ, and κ, from 0. */
  readonly isSigmaSeen: boolean;
  readonly isKappaSeen: boolean;
  /** The peak of throughput, if it lies within the valid range. */
  readonly peak: number | undefined;
  /** The law up to `trustedTo`. */
  readonly curve: readonly CurvePoint[];
}

export const uslConfidence = 0.9;
/** Fewer loads than this leave too little over for three unknowns, and a range narrower than this shows no bend. */
const fewestLoads = 4;
const narrowestRange = 4;
/** A law whose steps scatter more than this about it does not describe them. */
export const mostScatter = 0.1;
/** No extrapolation goes further than this many times the measured load. */
const furthest = 2;
/** Nor one that is less certain than this, relative to itself, on either side. */
const mostUncertain = 0.15;

/** A coefficient that certainly costs less than this at the highest load has not been seen. */
const leastEffect = 0.01;

const resamples = 200;
const curvePoints = 40;

/** Why there is nothing to fit: too few different loads, or loads too close together. */
export interface TooLittle {
  readonly why:
    | { readonly kind: 'few-loads'; readonly loads: number; readonly needed: number }
    | { readonly kind: 'narrow'; readonly least: number; readonly most: number };
}

/** Fits the law to steps, with bounds by resampling the residuals (Efron's bootstrap), the same at each call. */
export function scalabilityOf(points: readonly LoadPoint[]): Scalability | TooLittle {
  const loads = new Set(points.map(({ n }) => n));
  const least = Math.min(...loads);
  const most = Math.max(...loads);
  if (loads.size < fewestLoads) return { why: { kind: 'few-loads', loads: loads.size, needed: fewestLoads } };
  if (most < narrowestRange * least) return { why: { kind: 'narrow', least, most } };
  const usl = fitUsl(points);
  const residuals = residualsOf(usl, points);
  const scatter = Math.sqrt(residuals.reduce((sum, each) => sum + each ** 2, 0) / residuals.length);
  const fits = resampled(points, usl, residuals);
  const boundsOf = (quantity: (fit: Usl) => number): Bounds => central(fits.map(quantity));
  const curveAt = (n: number): CurvePoint => ({
    n,
    perSecond: throughputAt(usl, n),
    bounds: boundsOf((fit) => throughputAt(fit, n)),
  });
  const peak = peakOf(usl);
  const bounds = {
    lambda: boundsOf(({ lambda }) => lambda),
    sigma: boundsOf(({ sigma }) => sigma),
    kappa: boundsOf(({ kappa }) => kappa),
  };
  const isSigmaSeen = bounds.sigma.min * (most - 1) > leastEffect;
  // A target that saturates at once bends more sharply than the law, which then shows a decline that was not
  // measured.
  const isDeclineInvented = peak !== undefined && peak < most && !declines(points, most, scatter);
  const isKappaSeen = bounds.kappa.min * most * (most - 1) > leastEffect && !isDeclineInvented;
  const doubt = isDeclineInvented ? 'decline-invented' : isSigmaSeen || isKappaSeen ? undefined : 'no-bend';
  const trustedTo = doubt === undefined ? trustedReach(most, scatter, curveAt) : most;
  return {
    usl,
    bounds,
    scatter,
    measuredTo: most,
    trustedTo,
    doubt: doubt ?? (trustedTo === most ? 'uncertain' : undefined),
    isSigmaSeen,
    isKappaSeen,
    peak: isKappaSeen && scatter <= mostScatter && peak !== undefined && peak <= trustedTo ? peak : undefined,
    curve: Array.from({ length: curvePoints }, (_, place) =>
      curveAt(least * (trustedTo / least) ** (place / (curvePoints - 1))),
    ),
  };
}

/** Whether throughput at the highest load was lower than at another by more than chance: twice the scatter. */
function declines(points: readonly LoadPoint[], most: number, scatter: number): boolean {
  const meanAt = (load: number): number => {
    const own = points.filter(({ n }) => n === load);
    return own.reduce((sum, { perSecond }) => sum + Math.log(perSecond), 0) / own.length;
  };
  const best = Math.max(...points.map(({ n }) => meanAt(n)));
  return best - meanAt(most) > 2 * scatter;
}

/** As far as the law is certain enough, and at most to twice the highest measured load. */
function trustedReach(most: number, scatter: number, curveAt: (n: number) => CurvePoint): number {
  if (scatter > mostScatter) return most;
  for (let reach = furthest; reach > 1; reach -= 0.25) {
    const { bounds, perSecond } = curveAt(most * reach);
    if (bounds.max <= perSecond * (1 + mostUncertain) && bounds.min >= perSecond * (1 - mostUncertain))
      return Math.floor(most * reach);
  }
  return most;
}

function resampled(points: readonly LoadPoint[], usl: Usl, residuals: readonly number[]): Usl[] {
  const random = randomStream(1, 'scalability');
  // Three unknowns have taken some of the scatter with them.
  const wider = Math.sqrt(points.length / Math.max(1, points.length - 3));
  return Array.from({ length: resamples }, () =>
    fitUsl(
      points.map(({ n }) => {
        const residual = residuals[Math.floor(random() * residuals.length)] ?? 0;
        return { n, perSecond: throughputAt(usl, n) * Math.exp(residual * wider) };
      }),
    ),
  );
}

/** The middle `uslConfidence` of the values. */
function central(values: readonly number[]): Bounds {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
  return { min: at((1 - uslConfidence) / 2), max: at((1 + uslConfidence) / 2) };
}
