import { join } from 'node:path';
import type { Judgement } from '../checks/diagnosis/diagnosis.ts';
import type { History } from '../history/history.ts';
import { answerOf } from './answer.ts';
import { writeHtmlReport } from './html.ts';
import { renderJunit } from './junit.ts';
import { renderMarkdown } from './markdown.ts';
import { writeWhole } from './write-file.ts';

/** The reports in a run's folder. */
export const reportFiles = { html: 'report.html', junit: 'junit.xml', markdown: 'summary.md' } as const;

/** Writes every report of a run into its folder, over any that are there. Throws a `WriteFailure` for the first that cannot be. */
export async function writeReports(runDir: string, history: History, judgement: Judgement): Promise<void> {
  const answer = await answerOf(history, judgement);
  await writeWhole(join(runDir, reportFiles.junit), renderJunit(answer));
  await writeWhole(join(runDir, reportFiles.markdown), renderMarkdown(answer));
  // The largest comes last: a disk that is nearly full holds the others.
  await writeWhole(join(runDir, reportFiles.html), await writeHtmlReport(history, judgement));
}
