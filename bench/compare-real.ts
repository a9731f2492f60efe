/**
 * `node bench/compare-real.ts DIR [pairs]`: how often real runs of one target, each in a folder in DIR, are said to differ.
 * Random halves of 5 + 5 runs, and all pairs of single runs.
 */
import { readSide } from '../src/commands/again/run-facts.ts';
import { randomStream } from '../src/random.ts';
import { compare } from '../src/report/compare/compare.ts';
import type { RunFacts } from '../src/report/compare/facts.ts';

const [dir = 'reports', pairs = '200'] = process.argv.slice(2);
const margin = 0.05;
const each = 5;
const seed = 20261123;

/** Whether the p50 or the p99 of all endpoints is said to differ. */
function isAlarm(a: readonly RunFacts[], b: readonly RunFacts[]): boolean {
  const { metrics } = compare({ name: 'a', runs: a }, { name: 'b', runs: b }, margin);
  return metrics.some(({ isPrimary, turn }) => isPrimary && turn !== undefined);
}

const all = (await readSide(dir)).runs;
const runs = all.filter((run) => !run.isGeneratorBound);
const random = randomStream(seed, 'halves');
let alarms = 0;
for (let pair = 0; pair < Number(pairs); pair++) {
  const drawn = runs
    .map((run) => ({ run, at: random() }))
    .toSorted((x, y) => x.at - y.at)
    .map(({ run }) => run)
    .slice(0, 2 * each);
  if (isAlarm(drawn.slice(0, each), drawn.slice(each))) alarms++;
}
const singles = runs.flatMap((a, k) => runs.slice(k + 1).map((b) => isAlarm([a], [b])));
process.stdout.write(
  `${all.length} runs, ${all.length - runs.length} of them generator-bound and left out\n` +
    `${each} + ${each} runs: ${alarms} of ${pairs} random pairs of halves, seed ${seed}\n` +
    `single runs: ${singles.filter(Boolean).length} of ${singles.length} pairs, by blocks\n`,
);
