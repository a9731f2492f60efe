/**
 * The universal scalability law (N. J. Gunther, "A General Theory of Computational Scalability Based on Rational
 * Functions", 2008): with concurrency N the throughput is
 *
 * X(N) = λ N / (1 + σ (N − 1) + κ N (N − 1))
 *
 * λ is the throughput of one, σ the serial part of the work (contention), κ the cost per pair of agreeing
 * (coherency). With κ > 0 throughput has a peak, at N = √((1 − σ) / κ).
 */

export interface Usl {
  /** Requests per second. */
  readonly lambda: number;
  readonly sigma: number;
  readonly kappa: number;
}

/** One step of a closed loop. */
export interface LoadPoint {
  /** Connections, each with one request under way. */
  readonly n: number;
  readonly perSecond: number;
}

export function throughputAt({ kappa, lambda, sigma }: Usl, n: number): number {
  return (lambda * n) / (1 + sigma * (n - 1) + kappa * n * (n - 1));
}

/** Where throughput is highest; undefined where it only ever approaches its bound. */
export function peakOf({ kappa, sigma }: Usl): number | undefined {
  return kappa > 0 ? Math.sqrt(Math.max(0, 1 - sigma) / kappa) : undefined;
}

/**
 * The law that fits best: nonlinear least squares (Gauss–Newton with Levenberg's damping) of the logarithms, since
 * throughput scatters in proportion to itself. σ and κ are at least 0. Throws a RangeError without points at two
 * loads, all with a throughput above 0.
 */
export function fitUsl(points: readonly LoadPoint[]): Usl {
  if (new Set(points.map(({ n }) => n)).size < 2 || points.some(({ perSecond }) => !(perSecond > 0)))
    throw new RangeError('fitUsl: expected throughputs above 0 at two loads or more');
  const whole = fitWith(points, { sigma: true, kappa: true });
  // Only where a coefficient came to lie on its bound may another fit with that one at 0 be better.
  if (whole.usl.sigma > 0 && whole.usl.kappa > 0) return whole.usl;
  const others = [
    { sigma: true, kappa: false },
    { sigma: false, kappa: true },
    { sigma: false, kappa: false },
  ].map((free) => fitWith(points, free));
  return [whole, ...others].reduce((best, each) => (each.squares < best.squares * (1 - 1e-9) ? each : best))
    .usl;
}

/** Residuals of a fit: the logarithm of the measured value over the law's. */
export function residualsOf(usl: Usl, points: readonly LoadPoint[]): number[] {
  return points.map(({ n, perSecond }) => Math.log(perSecond / throughputAt(usl, n)));
}

interface Free {
  readonly sigma: boolean;
  readonly kappa: boolean;
}

interface UslFit {
  readonly usl: Usl;
  readonly squares: number;
}

const mostIterations = 60;

/**
 * λ is eliminated: for any σ and κ the best logarithm of it is the mean of the rest. That leaves a problem of two
 * unknowns at most, kept at or above 0.
 */
function fitWith(points: readonly LoadPoint[], free: Free): UslFit {
  let fit = atCoefficients(points, free.sigma ? 0.1 : 0, free.kappa ? 1e-3 : 0);
  let damping = 1e-3;
  for (let iteration = 0; iteration < mostIterations && damping < 1e12; iteration++) {
    const { sigma, kappa } = fit.usl;
    const [stepSigma, stepKappa] = gaussNewton(points, fit.usl, free, damping);
    const next = atCoefficients(points, Math.max(0, sigma + stepSigma), Math.max(0, kappa + stepKappa));
    if (next.squares < fit.squares) {
      const isSettled = fit.squares - next.squares < 1e-12 * fit.squares;
      fit = next;
      damping /= 8;
      if (isSettled) break;
    } else damping *= 8;
  }
  return fit;
}

function atCoefficients(points: readonly LoadPoint[], sigma: number, kappa: number): UslFit {
  const left = residualsOf({ lambda: 1, sigma, kappa }, points);
  const mean = left.reduce((sum, each) => sum + each, 0) / left.length;
  return {
    usl: { lambda: Math.exp(mean), sigma, kappa },
    squares: left.reduce((sum, each) => sum + (each - mean) ** 2, 0),
  };
}

/** The damped step in σ and κ; 0 for one that is not free. */
function gaussNewton(
  points: readonly LoadPoint[],
  usl: Usl,
  free: Free,
  damping: number,
): readonly [sigma: number, kappa: number] {
  const residuals = residualsOf(usl, points);
  // How the logarithm of the law moves with each: the mean taken off, as λ follows at once.
  const bySigma = centred(points.map(({ n }) => (free.sigma ? -(n - 1) / weight(usl, n) : 0)));
  const byKappa = centred(points.map(({ n }) => (free.kappa ? (-n * (n - 1)) / weight(usl, n) : 0)));
  const ss = product(bySigma, bySigma) * (1 + damping);
  const kk = product(byKappa, byKappa) * (1 + damping);
  const sk = product(bySigma, byKappa);
  const rs = product(bySigma, residuals);
  const rk = product(byKappa, residuals);
  if (!free.kappa) return [ss > 0 ? rs / ss : 0, 0];
  if (!free.sigma) return [0, kk > 0 ? rk / kk : 0];
  const determinant = ss * kk - sk * sk;
  return determinant > 0 ? [(rs * kk - rk * sk) / determinant, (rk * ss - rs * sk) / determinant] : [0, 0];
}

function weight({ kappa, sigma }: Usl, n: number): number {
  return 1 + sigma * (n - 1) + kappa * n * (n - 1);
}

function centred(values: readonly number[]): number[] {
  const mean = values.reduce((sum, each) => sum + each, 0) / values.length;
  return values.map((each) => each - mean);
}

function product(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, each, index) => sum + each * (b[index] ?? 0), 0);
}
