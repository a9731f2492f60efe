import { describe, expect, it } from 'vitest';
import { shown } from '../../src/checks/diagnosis/cause.ts';
import { diagnose } from '../../src/checks/diagnosis/diagnose.ts';
import type { Judgement } from '../../src/checks/judge.ts';
import type { CheckResult, Verdict } from '../../src/checks/verdict.ts';
import { renderAnnotations } from '../../src/report/annotations.ts';
import { renderJunit } from '../../src/report/junit.ts';
import { renderMarkdown } from '../../src/report/markdown.ts';
import { diagnosisBlock } from '../../src/report/sections/diagnosis.ts';
import { renderSummary } from '../../src/report/terminal.ts';
import { sampleRun } from '../history/sample.ts';
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
const text = 'product_id is not applied to top_shades.';

describe('the terminal', () => {
  const shownLines = renderSummary(sampleRun, judgement, {
    columns: 80,
    colour: false,
    figures: [{ label: 'Requests sent', value: '12' }],
  }).split('\n');
  const lineOf = (part: string): number => shownLines.findIndex((line) => line.includes(part));

  it('leads with the cause: at most five lines of it before the first figure', () => {
    expect(lineOf(text)).toBeGreaterThan(lineOf('FAIL'));
    const lead = shownLines.slice(lineOf('Probable cause'), lineOf('Requests sent'));
    expect(lead.filter((line) => line !== '').length).toBeLessThanOrEqual(5);
  });

  it('leaves explanations to the checks that no cause explains', () => {
    expect(lineOf('About analytics.top-shades.')).toBe(-1);
    expect(lineOf('12 % over')).toBeGreaterThan(0);
    expect(lineOf('About quota.edge.')).toBeGreaterThan(0);
  });
});

describe('the Markdown summary', () => {
  const markdown = renderMarkdown(sampleRun, judgement);

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

describe('JUnit', () => {
  it('has the cause as the message of each failure that it explains', () => {
    const junit = renderJunit(sampleRun, judgement);
    expect(junit.match(/message="The filter product_id is not applied to top_shades\."/g)).toHaveLength(2);
    expect(junit).toContain('message="12 % over, and more"');
  });
});

describe('the annotations of GitHub', () => {
  it('are one for each cause, and one for each check that stands alone', () => {
    expect(renderAnnotations(judgement)).toEqual([
      expect.stringMatching(
        /^::error title=Probable cause \(\d+ %25 sure\)::The filter product_id is not applied to top_shades\. /,
      ),
      '::error title=latency.slo.1::12 %25 over, and more',
      '::warning title=quota.edge::About quota.edge.',
    ]);
  });
});

describe('the page', () => {
  it('has the cause, its checks and its commands, with nothing in them that becomes markup', () => {
    const block = diagnosisBlock(judgement);
    const html = block === false ? '' : block.text;
    expect(html).toContain(text);
    expect(html).toContain('href="#analytics.top-shades"');
    expect(html).toContain('No known cause explains <a href="#latency.slo.1">');
    expect(html).not.toContain('<script');
    expect(diagnosisBlock({ ...judgement, diagnosis: { causes: [], unexplained: [] } })).toBe(false);
  });
});
