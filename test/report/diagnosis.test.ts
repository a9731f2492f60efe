import { describe, expect, it } from 'vitest';
import { shown } from '../../src/checks/causes/cause.ts';
import type { CheckResult, Verdict } from '../../src/checks/core/verdict.ts';
import { diagnose } from '../../src/checks/diagnosis/diagnose.ts';
import type { Judgement } from '../../src/checks/diagnosis/diagnosis.ts';
import { answerFrom } from '../../src/report/answer.ts';
import { writeHtmlReport } from '../../src/report/html.ts';
import { renderJunit } from '../../src/report/junit.ts';
import { renderAnnotations, renderMarkdown } from '../../src/report/markdown.ts';
import { renderSummary } from '../../src/report/terminal.ts';
import { sampleRun, withHistory } from '../history/sample.ts';
import { hostile } from './hostile.ts';

function result(id: CheckResult['id'], verdict: Verdict, explanation = `About ${id}.`): CheckResult {
  return {
    id,
    title: `Title of ${id}`,
    verdict,
    expected: 1,
    observed: 2,
    explanation,
    reasons: [],
    evidence: [],
  };
}

const checks: readonly CheckResult[] = [
  {
    ...result('analytics.product-filter', 'fail'),
    causes: [shown('product-filter-ignored', { fields: ['top_shades'] }, [7])],
  },
  result('analytics.top-shades', 'fail'),
  result('latency.slo.1', 'fail', '12 % over, and\nmore'),
  result('quota.edge', 'inconclusive'),
  result('contract.auth', 'pass'),
];
const found = diagnose(checks);
const lines = ['BASE_URL=http://127.0.0.1:1/v1', `curl -sS "$BASE_URL/x" # \`\`\` ${hostile}`];
const judgement: Judgement = {
  verdict: 'fail',
  generatorBound: false,
  checks,
  diagnosis: {
    ...found,
    causes: found.causes.map((each) => ({ ...each, reproduction: { lines, seqs: [7] } })),
  },
};
const figures = [{ label: 'Requests', value: '12 sent', rank: 'first' }] as const;
const answer = answerFrom(sampleRun, judgement, { figures });
const text = 'product_id is not applied to top_shades.';

describe('the terminal', () => {
  const shownLines = renderSummary(answer, { columns: 80, colour: false, verbose: true }).split('\n');
  const lineOf = (part: string): number => shownLines.findIndex((line) => line.includes(part));

  it('says what was wrong before it names what is only inconclusive, however much that is', () => {
    const unclear = Array.from({ length: 30 }, () => result('contract.auth', 'inconclusive'));
    const crowded = answerFrom(sampleRun, { ...judgement, checks: [...checks, ...unclear] }, { figures });
    const brief = renderSummary(crowded, { columns: 80, colour: false });
    expect(brief).toContain('About analytics.product-filter.');
    expect(brief).toMatch(/Not shown: contract\.auth.* and \d+ more\. See the report/);
    expect(brief.split('\n').length).toBeLessThanOrEqual(24);
  });

  it('shows the first cause and what its certainty means, whatever has to give way', () => {
    const wide = [
      { label: 'Requests', value: '1 sent', note: 'of many kinds, '.repeat(99), rank: 'first' },
    ] as const;
    const brief = renderSummary(answerFrom(sampleRun, judgement, { figures: wide }), {
      columns: 80,
      colour: false,
    });
    expect(brief).toContain(text);
    expect(brief).toContain('“Shown”: no other explanation is known.');
    expect(brief).not.toContain('“Fits”');
    expect(brief).not.toContain('of many kinds');
    expect(brief.split('\n').length).toBeLessThanOrEqual(24);
  });

  it('leads with the cause, and what was expected and what came', () => {
    expect(lineOf(text)).toBeGreaterThan(lineOf('FAIL'));
    expect(lineOf('expected  1')).toBeGreaterThan(lineOf(text));
    expect(lineOf('12 sent')).toBeGreaterThan(lineOf('observed  2'));
  });

  it('leaves explanations to the checks that no cause explains', () => {
    expect(lineOf('About analytics.top-shades.')).toBe(-1);
    expect(lineOf('12 % over')).toBeGreaterThan(0);
    expect(lineOf('About quota.edge.')).toBeGreaterThan(0);
  });
});

describe('the terminal in short', () => {
  const options = { columns: 80, colour: false, runDir: 'reports/a b' };
  const brief = renderSummary(answer, options);

  it('names the checks that no cause explains, each with the beginning of its explanation', () => {
    expect(brief).toMatch(/✗ latency\.slo\.1 .*\n {2}12 % over/);
  });

  it.each([1, 3])('has for each of %i causes a command, where the full commands do not fit', (copies) => {
    const long = Array.from({ length: 30 }, (_, n) => `curl "$BASE_URL/${n}"`);
    const causes = judgement.diagnosis.causes.flatMap((each) =>
      Array.from({ length: copies }, () => ({ ...each, reproduction: { lines: long, seqs: [7] } })),
    );
    const many = Array.from({ length: 40 }, (_, n) => {
      return { label: `Figure ${n}`, value: '12,345,678', rank: 'first' } as const;
    });
    const repeated = { ...judgement, diagnosis: { ...judgement.diagnosis, causes } };
    const summary = renderSummary(answerFrom(sampleRun, repeated, { figures: many }), options);
    const command = "  Reproduce it: npx tryon reproduce 'reports/a b' product-filter-ignored";
    expect(summary.split('\n').filter((line) => line === command)).toHaveLength(copies);
    expect(summary).toContain('Figure 0');
    expect(summary.split('\n').length).toBeLessThanOrEqual(24);
  });

  it('has the commands in full where all is asked for', () => {
    const summary = renderSummary(answer, { ...options, verbose: true });
    expect(summary).toContain('Reproduce product-filter-ignored:\n  BASE_URL=http://127.0.0.1:1/v1\n  curl ');
  });
});

describe('the Markdown summary', () => {
  const markdown = renderMarkdown(answer);

  it('has the cause before the table of groups', () => {
    expect(markdown.indexOf('not applied to top\\_shades')).toBeGreaterThan(0);
    expect(markdown.indexOf('not applied to top\\_shades')).toBeLessThan(markdown.indexOf('| Group |'));
  });

  it('has the commands in a fence that nothing in them ends', () => {
    const fence = /(`{3,})sh\n/.exec(markdown)?.[1] ?? '';
    expect(fence.length).toBeGreaterThan(3);
    expect(markdown.split(`\n${fence}`)).toHaveLength(3);
  });
});

describe('the Markdown summary of many failures', () => {
  it('has one closed fold for each check that did not pass', () => {
    const failed = judgement.checks.filter(({ verdict }) => verdict === 'fail');
    const checks = Array.from({ length: 40 }, () => failed).flat();
    const summary = renderMarkdown(answerFrom(sampleRun, { ...judgement, checks }));
    expect(summary.match(/<details><summary>✗ Fail: /g)).toHaveLength(checks.length);
    expect(summary.match(/<details>/g)?.length).toBe(summary.match(/<\/details>/g)?.length);
  });
});

describe('JUnit', () => {
  it('has the cause as the message of each failure that it explains', () => {
    const junit = renderJunit(answer);
    expect(junit.match(/message="The filter product_id is not applied to top_shades\."/g)).toHaveLength(2);
    expect(junit).toContain('message="12 % over, and more"');
  });
});

describe('the annotations of GitHub', () => {
  it('are one for each cause, and one for each check that stands alone', () => {
    expect(renderAnnotations(answer)).toEqual([
      expect.stringMatching(
        /^::error title=Probable cause \(shown\)::The filter product_id is not applied to top_shades\. /,
      ),
      '::error title=latency.slo.1::12 %25 over, and more',
      '::warning title=quota.edge::About quota.edge.',
    ]);
  });
});

describe('the page', () => {
  it('has the cause, its checks and its commands, with nothing in them that becomes markup', async () => {
    const page = await withHistory({}, (history) => writeHtmlReport(history, judgement));
    const top = page.slice(0, page.indexOf('<nav'));
    expect(top).toContain(text);
    expect(top).toContain('About analytics.product-filter.');
    expect(top).toContain('href="#analytics.top-shades"');
    expect(top).toContain('npx tryon reproduce FOLDER product-filter-ignored');
    expect(top).toMatch(/No known cause explains <code>latency\.slo\.1/);
    expect(top.slice(top.indexOf('<body'))).not.toContain('<script');
  });
});
