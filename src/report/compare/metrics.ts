import { type Change, changeBetween, leastEach, median, type Rule, typical, type Units } from './answer.ts';
import { type Percentile, percentiles, type RunFacts, type Side } from './facts.ts';

/** A figure of both sides, and whether it differs. */
export interface ComparedMetric {
  readonly of: { readonly endpoint: string; readonly percentile: Percentile } | 'capacity';
  /** Its regression decides the exit code. */
  readonly isPrimary: boolean;
  /** Medians of the runs: milliseconds, or requests per second. */
  readonly before: number | undefined;
  readonly after: number | undefined;
  readonly change: Change;
  /** The second half of A against its first: what the same target shows. */
  readonly control: Change;
  /** How it differs; undefined where it does not, or cannot be told. */
  readonly turn: 'better' | 'worse' | undefined;
}

/** Two-sided, for each primary figure: with two of them, false alarms in at most 2 % of comparisons. */
const primaryLevel = 0.01;
/** For all other figures together. */
const secondaryLevel = 0.05;

/** Every figure that both sides could have: response time by endpoint and percentile, then capacity. */
export function metricsOf(
  a: Side,
  b: Side,
  margin: number,
  shift: readonly QuantileShift[],
): ComparedMetric[] {
  const endpoints = [
    ...new Set(a.runs.flatMap(({ figures }) => figures.samples.map(({ endpoint }) => endpoint))),
  ];
  const measured: ComparedMetric['of'][] = endpoints.flatMap((endpoint) =>
    percentiles.map((percentile) => ({ endpoint, percentile })),
  );
  if ([...a.runs, ...b.runs].some(({ figures }) => figures.capacity !== undefined)) measured.push('capacity');
  const secondary = measured.filter((of) => !isPrimary(of)).length;
  return measured.map((of) => {
    const level = isPrimary(of) ? primaryLevel : secondaryLevel / secondary;
    // The change that the requests of these runs show for all endpoints, whatever other runs would.
    const within =
      of === 'capacity' || of.endpoint !== '*'
        ? undefined
        : shift.find(({ share }) => share === of.percentile / 100);
    return metricOf(of, a, b, { level, margin }, within);
  });
}

function isPrimary(of: ComparedMetric['of']): boolean {
  return of !== 'capacity' && of.endpoint === '*' && of.percentile !== 90;
}

function metricOf(
  of: ComparedMetric['of'],
  a: Side,
  b: Side,
  rule: Rule,
  within: QuantileShift | undefined,
): ComparedMetric {
  const [before, after] = [unitsOf(of, a.runs), unitsOf(of, b.runs)];
  const control = changeBetween(...halves(of, a.runs), rule);
  const areTested = Math.min(before.runs.length, after.runs.length) >= leastEach(rule.level);
  const tested = changeBetween(before, after, rule);
  const found = areTested ? tested : orWithinRuns(tested, within, rule.margin);
  // A target that differs from itself by as much shows nothing about another one.
  const isUnsteady = found.answer.kind === 'differs' && control.answer.kind === 'differs';
  const change: Change = isUnsteady
    ? { ...found, answer: { kind: 'unknown', why: { code: 'unsteady' } } }
    : found;
  const isMoreWorse = of !== 'capacity';
  return {
    of,
    isPrimary: isPrimary(of),
    before: typical(before.runs),
    after: typical(after.runs),
    change,
    control,
    turn:
      change.answer.kind !== 'differs'
        ? undefined
        : change.answer.atLeast > 0 === isMoreWorse
          ? 'worse'
          : 'better',
  };
}

/** Where too few runs tell nothing, what their requests tell. */
function orWithinRuns(change: Change, within: QuantileShift | undefined, margin: number): Change {
  const { answer } = change;
  if (answer.kind !== 'unknown' || answer.why.code !== 'runs' || within === undefined) return change;
  const { least = 0, most = 0 } = within;
  const atLeast = least > margin ? least : most < -margin ? most : undefined;
  return atLeast === undefined
    ? change
    : { ...change, answer: { kind: 'differs', atLeast, by: 'requests', more: answer.why.more } };
}

function unitsOf(of: ComparedMetric['of'], runs: readonly RunFacts[]): Units {
  const units = runs.map((run) => unitOf(of, run));
  return {
    runs: units.flatMap(({ value }) => (value === undefined ? [] : [value])),
    blocks: units.flatMap(({ blocks }) => blocks),
  };
}

function unitOf(
  of: ComparedMetric['of'],
  { figures: { capacity, samples } }: RunFacts,
): { value?: number | undefined; blocks: readonly number[] } {
  if (of === 'capacity') return { value: capacity, blocks: [] };
  const sample = samples.find(({ endpoint }) => endpoint === of.endpoint);
  return sample?.figures.find(({ percentile }) => percentile === of.percentile) ?? { blocks: [] };
}

/** The earlier and the later runs; of a single run, its earlier and later blocks. */
function halves(of: ComparedMetric['of'], runs: readonly RunFacts[]): [Units, Units] {
  const ordered = runs.toSorted((x, y) => x.run.zero_epoch_ms - y.run.zero_epoch_ms);
  const [only] = ordered;
  if (ordered.length > 1 || only === undefined) {
    const middle = Math.ceil(ordered.length / 2);
    return [unitsOf(of, ordered.slice(0, middle)), unitsOf(of, ordered.slice(middle))];
  }
  const { blocks } = unitOf(of, only);
  const middle = Math.ceil(blocks.length / 2);
  return [partOfRun(blocks.slice(0, middle)), partOfRun(blocks.slice(middle))];
}

function partOfRun(blocks: readonly number[]): Units {
  return { runs: blocks.length === 0 ? [] : [median(blocks.toSorted((x, y) => x - y))], blocks };
}

/** The change of one quantile of response time, as a share of that of A. An end that nothing is known about is absent. */
export interface QuantileShift {
  readonly share: number;
  readonly beforeMs: number;
  readonly afterMs: number;
  readonly change: number;
  readonly least?: number;
  readonly most?: number;
}

const shares = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999] as const;

/**
 * Quantile by quantile, with bands that hold together with 95 % (Dvoretzky–Kiefer–Wolfowitz, half of the 5 % a side).
 * They count requests that are alike as one, and leave out how much runs differ by themselves.
 */
export function shiftFunction(a: Side, b: Side): QuantileShift[] {
  const [before, after] = [pooled(a), pooled(b)];
  if (before.points.length === 0 || after.points.length === 0) return [];
  return shares.map((share) => {
    const [x, y] = [before, after].map(({ epsilon, points }) => ({
      at: weighedQuantile(points, share),
      least: share - epsilon > 0 ? weighedQuantile(points, share - epsilon) : undefined,
      most: share + epsilon < 1 ? weighedQuantile(points, share + epsilon) : undefined,
    })) as [QuantileBand, QuantileBand];
    return {
      share,
      beforeMs: x.at,
      afterMs: y.at,
      change: y.at / x.at - 1,
      ...(y.least === undefined || x.most === undefined ? {} : { least: y.least / x.most - 1 }),
      ...(y.most === undefined || x.least === undefined ? {} : { most: y.most / x.least - 1 }),
    };
  });
}

interface QuantileBand {
  readonly at: number;
  readonly least: number | undefined;
  readonly most: number | undefined;
}

/** The response times of all runs of a side. A run is as heavy as it has requests, however many quantiles its summary has. */
function pooled({ runs }: Side): PooledTimes {
  const points = runs.flatMap(({ figures: { quantiles_ms, samples } }) => {
    const weight = (samples[0]?.requests ?? 0) / quantiles_ms.length;
    return quantiles_ms.map((ms) => ({ ms, weight }));
  });
  const independent = runs.reduce((sum, { figures: { samples } }) => {
    const all = samples[0];
    return (
      sum + (all?.requests ?? 0) / Math.max(1, ...(all?.figures ?? []).map((each) => each.autocorrelation))
    );
  }, 0);
  return {
    points: points.toSorted((x, y) => x.ms - y.ms),
    epsilon: Math.sqrt(Math.log(2 / 0.025) / (2 * independent)),
  };
}

interface PooledTimes {
  readonly points: readonly { readonly ms: number; readonly weight: number }[];
  readonly epsilon: number;
}

/** The first point up to which the points weigh the share. */
function weighedQuantile(points: PooledTimes['points'], share: number): number {
  const whole = points.reduce((sum, { weight }) => sum + weight, 0);
  let upTo = 0;
  for (const { ms, weight } of points) {
    upTo += weight;
    // A sum of fractions falls short of the whole by rounding.
    if (upTo >= share * whole * (1 - 1e-12)) return ms;
  }
  return points.at(-1)?.ms ?? Number.NaN;
}
