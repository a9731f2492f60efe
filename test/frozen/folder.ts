import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Judgement } from '../../src/checks/diagnosis/diagnosis.ts';
import { judge } from '../../src/checks/judge.ts';
import { openHistory } from '../../src/history/history.ts';

/** In the folder of each recording: `run.json` and `history/` of the run, which is all that `tryon verify` reads. */
export const archive = 'run.tar.gz';
/** Beside it: what the version that recorded it judged. */
export const expectedFile = 'expected.json';
/** Names the process and the machine that wrote a history that was not closed. */
const writerMark = 'history/writing.json';

const verdict = z.enum(['pass', 'fail', 'inconclusive']);

export const expectedSchema = z.strictObject({
  verdict,
  /** By the id of the check. */
  checks: z.record(z.string(), verdict),
  /** Of the checks that fail, what was said. It is shown where a verdict differs, and compared with nothing. */
  failing: z.record(z.string(), z.string()),
});
export type Expected = z.output<typeof expectedSchema>;

/** Packs what `tryon verify` needs of the run in `runDir`. */
export function pack(runDir: string, folder: string): void {
  const anonymous = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0'];
  const out = join(folder, archive);
  execFileSync('tar', [
    ...['-czf', out, ...anonymous, `--exclude=${writerMark}`],
    ...['-C', runDir, 'run.json', 'history'],
  ]);
}

/** Unpacks a recording, which becomes a run folder like any other. */
export function unpack(folder: string, runDir: string): void {
  execFileSync('tar', ['-xzf', join(folder, archive), '-C', runDir]);
}

/** Judges the run in `runDir` as `tryon verify` does. */
export async function judged(runDir: string): Promise<Judgement> {
  const history = await openHistory(runDir);
  try {
    return await judge(history);
  } finally {
    history.close();
  }
}

/** A judgement in the form of `expected.json`. Throws where two checks have the same id. */
export function expectedOf({ checks, verdict }: Judgement): Expected {
  const ids = checks.map(({ id }) => id);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) throw new Error(`two checks have the id ${twice}`);
  const failing = checks.filter((check) => check.verdict === 'fail');
  return {
    verdict,
    checks: Object.fromEntries(checks.map((check) => [check.id, check.verdict])),
    failing: Object.fromEntries(failing.map(({ explanation, id }) => [id, explanation])),
  };
}

export function readExpected(folder: string): Expected {
  return expectedSchema.parse(JSON.parse(readFileSync(join(folder, expectedFile), 'utf8')));
}

/** The names of the recordings that are kept in `folder`. */
export function keptIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
}
