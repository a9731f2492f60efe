import { existsSync } from 'node:fs';
import { type ExitCode, exitCode, systemWords, usageError, writeError } from '../../exit.ts';
import {
  type Comparison,
  compare,
  obstaclesOf,
  toHtml,
  toMarkdown,
  toTerminal,
} from '../../report/compare/compare.ts';
import { trendOf } from '../../report/compare/trend.ts';
import { comparisonInWords, obstaclesInWords, trendInWords } from '../../report/compare/words.ts';
import { WriteFailure, writeWhole } from '../../report/words.ts';
import type { CompareArguments } from '../options.ts';
import { isRun, readReadable, readSide } from './run-facts.ts';

/** Runs of one target differ by less, as a rule, also on shared machines: from this share on, a pipeline fails on one run each. */
const worseByHalf = 0.5;

/** `replay` and `run --repeat` have no baseline. */
type Comparing = Omit<CompareArguments, 'baseline'> & Partial<Pick<CompareArguments, 'baseline'>>;

/** Compares each of the others with the base, or shows the trend of its runs, and prints it. Throws usage errors. */
export async function compareRuns(args: Comparing): Promise<ExitCode> {
  if (args.others.length === 0) return showTrend(args);
  if (args.baseline && !existsSync(args.base))
    return notCompared(args, `there is no baseline in ${args.base} yet`);
  const base = await readSide(args.base);
  const found: Comparison[] = [];
  for (const folder of args.others) {
    const other = await readSide(folder);
    const obstacles = obstaclesOf(base, other);
    if (obstacles.length > 0 && args.baseline && !args.force)
      return notCompared(
        args,
        `the run cannot be compared with the baseline: ${obstaclesInWords(obstacles)}`,
      );
    if (obstacles.length > 0 && !args.force)
      throw usageError(
        `${other.name} cannot be compared with ${base.name} (--force shows it): ${obstaclesInWords(obstacles)}`,
      );
    found.push(compare(base, other, args.margin / 100, args.baseline ? worseByHalf : undefined));
  }
  const documents = found.map(comparisonInWords);
  process.stdout.write(`${documents.map((each) => toTerminal(each, columns())).join('\n\n')}\n`);
  if (args.markdown !== undefined) await write(args.markdown, documents.map(toMarkdown).join('\n'));
  if (args.html !== undefined) await write(args.html, await toHtml(documents));
  const outcomes = found.map(({ outcome }) => outcome);
  if (outcomes.includes('incomparable')) return exitCode.usage;
  if (outcomes.includes('regression')) return exitCode.checkFailed;
  return args.strict && outcomes.includes('open') ? exitCode.inconclusive : exitCode.pass;
}

/** A pipeline goes on, and a reader learns why nothing was compared. */
async function notCompared({ markdown }: Comparing, why: string): Promise<ExitCode> {
  const text = `Not compared: ${why}.`;
  process.stdout.write(`${text}\n`);
  if (markdown !== undefined) await write(markdown, `${text}\n`);
  return exitCode.pass;
}

/** Prints the trend of the runs in a folder. */
async function showTrend({ base, force, html, markdown, strict }: Comparing): Promise<ExitCode> {
  if (isRun(base))
    throw usageError(`compare: expected a second run, or a folder with several; got ${base} alone`);
  if (force || strict) throw usageError('compare: --force and --strict need two folders of runs');
  const { runs, unreadable } = await readReadable(base);
  const document = trendInWords(trendOf(runs), base, unreadable);
  process.stdout.write(`${toTerminal(document, columns())}\n`);
  if (markdown !== undefined) await write(markdown, toMarkdown(document));
  if (html !== undefined) await write(html, await toHtml([document]));
  return exitCode.pass;
}

function columns(): number {
  return Math.min(100, process.stdout.columns ?? 80);
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writeWhole(file, text);
  } catch (error) {
    throw error instanceof WriteFailure
      ? writeError(`${file} could not be written: ${systemWords(error.cause)}`, error)
      : error;
  }
}
