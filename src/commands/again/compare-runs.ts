import { type Comparison, compare, obstaclesOf } from '../../compare/compare.ts';
import { toHtml, toMarkdown, toTerminal } from '../../compare/render.ts';
import { trendOf } from '../../compare/trend.ts';
import { comparisonInWords, obstaclesInWords, trendInWords } from '../../compare/words.ts';
import { type ExitCode, exitCode, systemWords, usageError, writeError } from '../../exit.ts';
import { WriteFailure, writeWhole } from '../../report/write-file.ts';
import type { CompareArguments } from '../compare.ts';
import type { TrendArguments } from '../trend.ts';
import { readReadable, readSide } from './run-facts.ts';

/** Compares each of the others with the base and prints it. Throws a usage error for runs that cannot be compared. */
export async function compareRuns(args: CompareArguments): Promise<ExitCode> {
  const base = await readSide(args.base);
  const found: Comparison[] = [];
  for (const folder of args.others) {
    const other = await readSide(folder);
    const obstacles = obstaclesOf(base, other);
    if (obstacles.length > 0 && !args.force)
      throw usageError(
        `${other.name} cannot be compared with ${base.name} (--force shows it): ${obstaclesInWords(obstacles)}`,
      );
    found.push(compare(base, other, args.margin / 100));
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

/** Prints the trend of the runs in a folder. */
export async function showTrend({ dir, html, markdown }: TrendArguments): Promise<void> {
  const { runs, unreadable } = await readReadable(dir);
  const document = trendInWords(trendOf(runs), dir, unreadable);
  process.stdout.write(`${toTerminal(document, columns())}\n`);
  if (markdown !== undefined) await write(markdown, toMarkdown(document));
  if (html !== undefined) await write(html, await toHtml([document]));
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
