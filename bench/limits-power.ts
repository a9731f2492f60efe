/**
 * `node bench/limits-power.ts [--seeds n] [--limit n] [--window-ms n] [--out docs/accuracy.md]`: how often inference
 * names a limiter correctly, in virtual time. One simulated trace per seed and kind; prints a confusion matrix. With
 * `--timing` it measures how long judging some 20,000 requests takes.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { LimiterInference, OpenBounds } from '../src/limits/inference.ts';
import { fullBudget, SimulatedStudy } from '../test/limits/probing.ts';
import { type Truth, truths } from '../test/limits/services.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '50' },
    'first-seed': { type: 'string', default: '1001' },
    limit: { type: 'string', default: '100' },
    'window-ms': { type: 'string', default: '6000' },
    only: { type: 'string', default: '' },
    out: { type: 'string' },
    timing: { type: 'boolean', default: false },
  },
});
const seeds = Number(values.seeds);
const firstSeed = Number(values['first-seed']);
const scale = { limit: Number(values.limit), windowMs: Number(values['window-ms']) };

/** What became of one kind's traces. */
interface Tally {
  traces: number;
  truthRefuted: number[];
  uniqueAndCorrect: number;
  /** Of those: limit and window (where there are such) within 0.5 %. */
  withinHalfPercent: number;
  /** Of all: the bounds given for the truth's kind hold its limit and window, where there are such. */
  boundsHold: number;
  /** Of those named rightly whose windows have a phase to be found. */
  phaseRight: number;
  readonly named: Map<string, number>;
}

const uniqueFrom = 0.95;

function isWithin(bounds: OpenBounds | null, value: number): boolean {
  return bounds !== null && bounds.min <= value && value <= (bounds.max ?? Number.POSITIVE_INFINITY);
}

function judge(truth: Truth, inference: LimiterInference, seed: number, tally: Tally): void {
  const [best] = inference.survivors;
  const isUnique = best !== undefined && best.confidence >= uniqueFrom;
  const name = isUnique ? best.algorithm : 'undecided';
  tally.named.set(name, (tally.named.get(name) ?? 0) + 1);
  const actual = truth.actual?.(scale.limit, scale.windowMs) ?? scale;
  const found = inference.survivors.find(({ algorithm }) => truth.names.includes(algorithm));
  if (found === undefined) tally.truthRefuted.push(seed);
  else if (
    truth.isOutside ||
    (isWithin(found.limitBounds, actual.limit) && isWithin(found.windowMsBounds, actual.windowMs))
  ) {
    tally.boundsHold++;
  }
  if (!isUnique || !truth.names.includes(best.algorithm)) return;
  tally.uniqueAndCorrect++;
  if (truth.phase === undefined || best.phase === truth.phase) tally.phaseRight++;
  const isNear = (value: number | null, wanted: number): boolean =>
    value !== null && Math.abs(value / wanted - 1) <= 0.005;
  if (truth.isOutside || (isNear(best.limit, actual.limit) && isNear(best.windowMs, actual.windowMs))) {
    tally.withinHalfPercent++;
  }
}

if (values.timing) {
  for (const [kind, truth] of Object.entries(truths)) {
    if (!kind.includes(values.only)) continue;
    const study = new SimulatedStudy(truth, { limit: 1_000, windowMs: 60_000 }, firstSeed);
    for (const probe of fullBudget) study.probe(probe);
    const beforeMs = process.cpuUsage();
    const { requests } = study.infer();
    const { user, system } = process.cpuUsage(beforeMs);
    process.stdout.write(`${kind}: ${requests} requests, ${Math.round((user + system) / 1e3)} ms of CPU\n`);
  }
  process.exit();
}

const tallies = new Map<string, Tally>();
for (const [kind, truth] of Object.entries(truths)) {
  if (!kind.includes(values.only)) continue;
  const tally: Tally = {
    traces: 0,
    truthRefuted: [],
    uniqueAndCorrect: 0,
    withinHalfPercent: 0,
    boundsHold: 0,
    phaseRight: 0,
    named: new Map(),
  };
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
    const study = new SimulatedStudy(truth, scale, seed);
    for (const probe of fullBudget) study.probe(probe);
    tally.traces++;
    judge(truth, study.infer(), seed, tally);
  }
  tallies.set(kind, tally);
  process.stdout.write(
    `${kind}: ${tally.uniqueAndCorrect}/${tally.traces} unique and correct, truth refuted in ${tally.truthRefuted.length}${tally.truthRefuted.length > 0 ? ` (seeds ${tally.truthRefuted.join(' ')})` : ''}, within 0.5 %: ${tally.withinHalfPercent}, bounds: ${tally.boundsHold}, phase: ${tally.phaseRight}; ${[...tally.named].map(([name, count]) => `${name} ${count}`).join(', ')}\n`,
  );
}

const sum = (select: (tally: Tally) => number): number =>
  [...tallies.values()].reduce((all, each) => all + select(each), 0);
const traces = sum((tally) => tally.traces);
const isPerfect = ({ boundsHold, phaseRight, uniqueAndCorrect, withinHalfPercent }: Tally): boolean =>
  [boundsHold, phaseRight, uniqueAndCorrect, withinHalfPercent].every((each) => each === seeds);
const percent = (count: number): string => `${((100 * count) / traces).toFixed(1)} %`;
const text = [
  `${new Date().toISOString().slice(0, 10)}, \`node bench/limits-power.ts ${process.argv.slice(2).join(' ')}\`: ${traces} traces of ${scale.limit} per ${scale.windowMs / 1e3} s.`,
  `The truth was refuted in ${sum((tally) => tally.truthRefuted.length)}, and unique in ${sum((tally) => tally.uniqueAndCorrect)} (${percent(sum((tally) => tally.uniqueAndCorrect))}).`,
  '',
  `| Truth, of ${seeds} traces each | Unique | Within 0.5 % | Bounds hold | Phase right |`,
  '|---|---|---|---|---|',
  ...[...tallies]
    .filter(([, tally]) => !isPerfect(tally))
    .map(
      ([kind, tally]) =>
        `| ${kind} | ${tally.uniqueAndCorrect} | ${tally.withinHalfPercent} | ${tally.boundsHold} | ${tally.phaseRight} |`,
    ),
  `| each of ${[...tallies.values()].filter(isPerfect).length} others | ${seeds} | ${seeds} | ${seeds} | ${seeds} |`,
].join('\n');
process.stdout.write(`\n${text}\n`);
if (values.out !== undefined) {
  const mark = `<!-- limits-power ${scale.limit}/${scale.windowMs} -->`;
  const before = await readFile(values.out, 'utf8').catch(() => '');
  const parts = before.split(mark);
  const [head = '', , tail = '\n'] = parts;
  await writeFile(values.out, `${head}${parts.length === 1 ? '\n' : ''}${mark}\n${text}\n${mark}${tail}`);
}
