import { existsSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { all, verb } from '../../amounts.ts';
import type { Judgement } from '../../checks/diagnosis/diagnosis.ts';
import { foundProfile } from '../../checks/found-profile.ts';
import { judge } from '../../checks/judge.ts';
import { verdictsJson } from '../../checks/verdicts.ts';
import { mergeShards } from '../../drive/gather/merge.ts';
import { bucketStores, folderOf, isBucket } from '../../drive/gather/place.ts';
import { type ExitCode, exitCode, systemWords, TryonError, usageError, writeError } from '../../exit.ts';
import { addColumnarCopy } from '../../history/columnar.ts';
import { segmentCount } from '../../history/files.ts';
import { type ClaimedHistory, type History, openClaimed, openHistory } from '../../history/history.ts';
import { checkIntegrity, type Integrity } from '../../history/recover.ts';
import { answerOf, type ReportAnswer } from '../../report/answer.ts';
import { writeHtmlReport } from '../../report/html.ts';
import { renderJunit } from '../../report/junit.ts';
import { startSteps } from '../../report/live.ts';
import { renderAnnotations, renderMarkdown } from '../../report/markdown.ts';
import { renderSummary } from '../../report/terminal.ts';
import { visible } from '../../report/text.ts';
import { groupTitles, WriteFailure, writeWhole } from '../../report/words.ts';
import { parsedJson } from '../../target/json.ts';
import type { CheckGroup } from '../../vocabulary/check-ids.ts';
import { measureFigures } from '../again/run-facts.ts';
import type { RunArguments } from '../options.ts';
import { assertNoProfile, environment, writeNew } from '../shell.ts';

/** How a judgement is handed over. `isQuiet`: the caller prints the result. */
type Concluding = Partial<Pick<RunArguments, 'write-profile' | 'verbose'>> & { readonly isQuiet?: boolean };

/**
 * Judges the history in `runDir`, writes verdicts and reports there and the run's findings to `--write-profile`, and
 * prints the summary. Returns the judgement.
 */
export async function conclude(
  runDir: string,
  { isQuiet = false, verbose, 'write-profile': profileFile }: Concluding = {},
): Promise<Judgement> {
  return withJudgement(runDir, async (history, judgement, clear) => {
    const failure = await writeResults(runDir, history, judgement);
    const reportPath = failure === undefined ? join(runDir, 'report.html') : undefined;
    if (!isQuiet) await printSummary(history, judgement, clear, { runDir, reportPath, verbose });
    if (failure !== undefined)
      throw writeError(
        `${failure.file} could not be written: ${systemWords(failure.cause)}. The history of the run is safe. ` +
          `Solve the problem; then tryon report ${runDir} writes verdicts and reports.`,
        failure.cause,
      );
    if (profileFile !== undefined) await writeProfile(profileFile, history);
    return judgement;
  });
}

/**
 * Judges the history in `runDir` and prints the summary, and whether `verdicts.json` says the same. It writes nothing
 * except the run's findings to `--write-profile`. `longFromBytes`: from this size on, a history is judged while its
 * digests are computed.
 */
export async function reconsider(
  runDir: string,
  { verbose, 'write-profile': profileFile }: Concluding = {},
  longFromBytes?: number,
): Promise<Judgement> {
  assertNoProfile(profileFile);
  const use = async (history: History, judgement: Judgement, clear: () => void): Promise<Judgement> => {
    await printSummary(history, judgement, clear, { runDir, verbose });
    const changes = await changesFrom(runDir, judgement);
    if (changes !== undefined) process.stdout.write(`\n${changes}\n`);
    if (profileFile !== undefined) await writeProfile(profileFile, history);
    return judgement;
  };
  return withJudgement(runDir, use, longFromBytes);
}

const reportFiles = ['junit.xml', 'summary.md', 'report.html'] as const;

/** Writes verdicts and reports. Returns the failure of the first that cannot be written: the verdicts are known all the same. */
async function writeResults(
  runDir: string,
  history: History,
  judgement: Judgement,
): Promise<WriteFailure | undefined> {
  const answer = await answerOf(history, judgement);
  // The largest comes last: a disk that is nearly full holds the others.
  const files: Readonly<Record<string, () => string | Promise<string>>> = {
    'verdicts.json': async () => `${JSON.stringify(await verdictsJson(history, judgement), null, 2)}\n`,
    'figures.json': async () => `${JSON.stringify(await measureFigures(history))}\n`,
    'junit.xml': () => renderJunit(answer),
    'summary.md': () => renderMarkdown(answer),
    'report.html': () => writeHtmlReport(history, judgement),
  };
  try {
    for (const [name, textOf] of Object.entries(files)) await writeWhole(join(runDir, name), await textOf());
    return undefined;
  } catch (error) {
    if (error instanceof WriteFailure) return error;
    throw error;
  }
}

/** The exit code for a verdict. */
export function exitFor(judgement: Judgement): ExitCode {
  switch (judgement.verdict) {
    case 'pass':
      return exitCode.pass;
    case 'fail':
      return exitCode.checkFailed;
    case 'inconclusive':
      return exitCode.inconclusive;
  }
}

/** Judges the history in `runDir`, and passes both on. `clear` has to be called before anything is printed. Throws usage errors. */
export async function withJudgement<T>(
  runDir: string,
  use: (history: History, judgement: Judgement, clear: () => void) => Promise<T>,
  longFromBytes?: number,
): Promise<T> {
  const claimed = await openUnaltered(runDir, longFromBytes);
  let { history } = claimed;
  const steps = startSteps(process.stderr, `Judging ${visible(runDir)}`);
  const tell = (step: CheckGroup | 'causes', at: number, of: number): void =>
    steps.step(`${step === 'causes' ? 'causes' : groupTitles[step]} (${at} of ${of})`);
  try {
    let judgement = await judge(history, tell);
    if (!(await claimed.confirmed)) {
      history.close();
      history = await openHistory(runDir);
      judgement = await judge(history, tell);
    }
    steps.step('report');
    return await use(history, judgement, steps.close);
  } catch (error) {
    throw error instanceof TryonError ? error : notAsWritten(runDir, history.integrity, error);
  } finally {
    steps.close();
    history.close();
  }
}

/** A history that the run did not write may hold anything. That is no defect of the program. */
function notAsWritten(runDir: string, integrity: Integrity, error: unknown): unknown {
  const why = error instanceof Error ? error.message : String(error);
  switch (integrity.kind) {
    case 'intact':
      return error;
    case 'recovered':
      return usageError(`${runDir}: the history was cut off, and the rest cannot be read: ${why}`, error);
    case 'altered':
      return changedAndUnreadable(runDir, integrity.differences, error);
  }
}

function changedAndUnreadable(runDir: string, differences: readonly string[], cause: unknown): TryonError {
  return new TryonError(
    exitCode.checkFailed,
    `${runDir}: the history was changed after the run, and cannot be read: ${differences.join('; ')}`,
    { cause },
  );
}

/** A history that was changed after the run may be unreadable. Then the change is the finding. */
async function openUnaltered(runDir: string, longFromBytes?: number): Promise<ClaimedHistory> {
  try {
    return await openClaimed(runDir, longFromBytes);
  } catch (error) {
    if (!existsSync(join(runDir, 'history', 'manifest.json'))) throw error;
    const integrity = await checkIntegrity(runDir);
    if (integrity.kind !== 'altered') throw error;
    throw changedAndUnreadable(runDir, integrity.differences, error);
  }
}

async function printSummary(
  history: History,
  judgement: Judgement,
  clear: () => void,
  how: Pick<Parameters<typeof renderSummary>[1], 'reportPath' | 'runDir' | 'verbose'>,
): Promise<void> {
  const answer = await answerOf(history, judgement);
  clear();
  if (process.env.GITHUB_ACTIONS === 'true') await tellGitHub(answer);
  const columns = process.stdout.columns ?? 80;
  process.stdout.write(`${renderSummary(answer, { ...how, columns })}\n`);
}

/** Annotations, and the summary of the job. GitHub shows both without the log. */
async function tellGitHub(answer: ReportAnswer): Promise<void> {
  process.stdout.write(`${renderAnnotations(answer).join('\n')}\n`);
  const file = process.env.GITHUB_STEP_SUMMARY;
  if (file === undefined || file === '') return;
  await appendFile(file, renderMarkdown(answer));
}

const verdictsFile = z.object({ checks: z.array(z.object({ id: z.string(), verdict: z.string() })) });

async function changesFrom(runDir: string, judgement: Judgement): Promise<string | undefined> {
  const file = join(runDir, 'verdicts.json');
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch {
    return undefined;
  }
  const parsed = verdictsFile.safeParse(parsedJson(text));
  if (!parsed.success) return `${file} cannot be read; it was not compared.`;
  const before = new Map(parsed.data.checks.map(({ id, verdict }) => [id, verdict]));
  const changed = judgement.checks.filter(({ id, verdict }) => before.get(id) !== verdict);
  if (changed.length === 0)
    return `${all(judgement.checks.length, 'verdict')} ${verb(judgement.checks.length, 'is', 'are')} those of ${file}.`;
  const lines = changed.map(({ id, verdict }) => `  ${id}: ${before.get(id) ?? 'not there'} → ${verdict}`);
  return `Verdicts that differ from ${file}:\n${lines.join('\n')}`;
}

/**
 * Writes the run's findings about its target as a profile, and prints the values that the run was not given.
 */
async function writeProfile(file: string, history: History): Promise<void> {
  const { changes, profile } = await foundProfile(history);
  writeNew(`--write-profile: ${file}`, file, `${JSON.stringify(profile, null, 2)}\n`);
  const lines = changes.map(({ field, was, is }) => `  ${visible(`${field}: ${is} (was ${was})`)}`);
  process.stdout.write(
    `\nProfile written to ${file}${lines.length === 0 ? ' without changes' : `, with\n${lines.join('\n')}`}\n`,
  );
}

/** Makes one run of the shards in a folder or bucket, and judges it; returns the exit code. Throws usage errors. */
export async function mergeAndJudge(
  place: string,
  args: Pick<RunArguments, 'env-file' | 'write-profile' | 'verbose'>,
): Promise<ExitCode> {
  assertNoProfile(args['write-profile']);
  const env = environment(args['env-file']);
  const dir = folderOf(place);
  const s3 = isBucket(place) ? await bucketStores() : undefined;
  await s3?.fetchRuns(place, dir, env);
  if (!existsSync(dir))
    throw usageError(`${place}: ${s3 ? 'no shard in it has handed in its run' : 'there is no such folder'}`);
  const run = await mergeShards(dir);
  await addColumnarCopy(dir, segmentCount(run)).catch(() => undefined);
  process.stdout.write(`Merged ${run.shards?.length} shards into ${join(dir, 'run.json')}\n`);
  const judgement = await conclude(dir, args);
  await s3?.putFiles(place, { dir, names: ['verdicts.json', ...reportFiles] }, env);
  return exitFor(judgement);
}
