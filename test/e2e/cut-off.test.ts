import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { judge } from '../../src/checks/judge.ts';
import { exitCode } from '../../src/exit.ts';
import { type HistoryFile, historyFiles } from '../../src/history/files.ts';
import { openHistory } from '../../src/history/history.ts';
import { randomStream } from '../../src/random.ts';
import { times } from '../effort.ts';
import { temporaryFolder, tryon } from './program.ts';

/** Another one each time; said with every failure. */
const seed = Date.now();
const cuts = times(3, 120);

/** The lines of a file of a run's history, and `seq` of the request that each belongs to. */
function linesOf(run: string, file: HistoryFile): { readonly text: string; readonly seq: number }[] {
  const lines = readFileSync(join(run, 'history', file), 'utf8')
    .split('\n')
    .slice(0, -1);
  const place = file.endsWith('.csv') ? (lines[0]?.split(',').indexOf('seq') ?? 0) : undefined;
  return lines.map((text) => ({
    text,
    seq: place === undefined ? Number(JSON.parse(text).seq ?? 0) : Number(text.split(',')[place]),
  }));
}

function write(run: string, file: HistoryFile, lines: readonly { readonly text: string }[]): void {
  writeFileSync(join(run, 'history', file), lines.map(({ text }) => `${text}\n`).join(''));
}

/**
 * What is on disk of a run if it was killed with so many lines in `requests.csv`: of the other files, what these
 * requests have in there, or more.
 */
function killed(run: string, lines: number, more: boolean): string {
  const copy = join(temporaryFolder(), 'run');
  cpSync(run, copy, { recursive: true });
  rmSync(join(copy, 'history/manifest.json'));
  const { ended: _, ...begun } = JSON.parse(readFileSync(join(copy, 'run.json'), 'utf8'));
  writeFileSync(join(copy, 'run.json'), JSON.stringify(begun));
  const kept = linesOf(run, historyFiles.requests).slice(0, lines);
  write(copy, historyFiles.requests, kept);
  if (more) return copy;
  const seqs = new Set(kept.map(({ seq }) => seq));
  for (const file of [historyFiles.answers, historyFiles.interactions])
    write(
      copy,
      file,
      linesOf(run, file).filter(({ seq }) => seqs.has(seq) || Number.isNaN(seq)),
    );
  return copy;
}

describe('an honest run that is killed', () => {
  it(`at any request accuses nobody (seed ${seed})`, async () => {
    const run = join(temporaryFolder(), 'run');
    const ended = await tryon(['run', 'smoke', '--out', run]);
    // In doubt on a busy machine.
    expect([exitCode.pass, exitCode.inconclusive], ended.stdout).toContain(ended.code);
    const { length } = linesOf(run, historyFiles.requests);
    const random = randomStream(seed, 'cuts');
    for (let n = 0; n < cuts; n++) {
      // One in each stretch of the run.
      const lines = 1 + Math.floor(((n + random()) / cuts) * (length - 1));
      const history = await openHistory(killed(run, lines, n % 2 === 0));
      const { checks } = await judge(history);
      history.close();
      const failed = checks.filter(({ verdict }) => verdict === 'fail');
      expect(
        failed.map(({ id, explanation }) => `${id}: ${explanation}`),
        `${lines} lines`,
      ).toEqual([]);
    }
  });
});
