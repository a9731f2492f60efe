import { judge } from '../../src/checks/judge.ts';
import { writeHtmlReport } from '../../src/report/html.ts';
import { type SampleHistory, withHistory } from '../history/sample.ts';
import { mixedJudgement } from './judgements.ts';
import { limitsHistory } from './limits-sample.ts';
import { richHistory } from './rich.ts';

/** The page of a history as it is judged. */
export function judgedPage(sample: SampleHistory): Promise<string> {
  return withHistory(sample, async (history) => writeHtmlReport(history, await judge(history)));
}

function once(make: () => Promise<string>): () => Promise<string> {
  let page: Promise<string> | undefined;
  return () => {
    page ??= make();
    return page;
  };
}

/** Pages that many tests look at: of the rich history with made-up verdicts and as judged, and of a study of the limiter. */
export const mixedPage = once(() =>
  withHistory(richHistory(), (history) => writeHtmlReport(history, mixedJudgement)),
);
export const richPage = once(() => judgedPage(richHistory()));
export const limitsPage = once(() => judgedPage(limitsHistory()));

/** A section of a page, up to what follows it. */
export function sectionOf(page: string, id: string, following = '</section>'): string {
  const begin = page.indexOf(`<details id="${id}"`);
  return page.slice(begin, page.indexOf(following, begin));
}

/** The rows of all tables as text, with bars between cells. */
export function rowsOfTables(html: string): readonly string[] {
  return (html.match(/<tr[ >].*?<\/tr>/gs) ?? []).map((row) =>
    row
      .replaceAll(/<\/t[hd]>/g, '|')
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
}
