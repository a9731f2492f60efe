import { type Change, changeBetween, type Rule, typical, type Units } from './answer.ts';
import type { RunFacts, Side } from './facts.ts';
import { leastEach, median } from './rank-interval.ts';
import { type Percentile, percentiles } from './sample.ts';
import type { QuantileShift } from './shift.ts';

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
    return metricOf(of, a, b, { level, margin }, withinRuns(of, shift));
  });
}

function isPrimary(of: ComparedMetric['of']): boolean {
  return of !== 'capacity' && of.endpoint === '*' && of.percentile !== 90;
}

/** The change that the requests of these runs show for all endpoints, whatever other runs would. */
function withinRuns(of: ComparedMetric['of'], shift: readonly QuantileShift[]): QuantileShift | undefined {
  return of === 'capacity' || of.endpoint !== '*'
    ? undefined
    : shift.find(({ share }) => share === of.percentile / 100);
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
