import { beforeAll, describe, expect, it } from 'vitest';
import type { LimiterFindings } from '../../src/checks/rate-limit/study/findings.ts';
import { answerFrom } from '../../src/report/answer.ts';
import { writeHtmlReport } from '../../src/report/html.ts';
import { renderMarkdown } from '../../src/report/markdown.ts';
import { studyBands } from '../../src/report/sections/limiter.ts';
import { percent } from '../../src/report/sections/limiter-evidence.ts';
import { inWords, limiterLine } from '../../src/report/sections/results.ts';
import { renderSummary } from '../../src/report/terminal.ts';
import { sampleRun, withHistory } from '../history/sample.ts';
import { mixedJudgement } from './judgements.ts';
import { limitsHistory } from './limits-sample.ts';
import { judgedPage, limitsPage, rowsOfTables, sectionOf } from './pages.ts';

const limiterIn = (page: string): string => sectionOf(page, 'limiter', '<details id="traffic"');
const rowOf = (section: string, head: string): string | undefined =>
  rowsOfTables(section).find((row) => row.startsWith(`${head}|`));

describe('the limiter section of a study', () => {
  let section = '';
  let html = '';
  beforeAll(async () => {
    html = await limitsPage();
    section = limiterIn(html);
  });

  it('says in a sentence what was found', () => {
    expect(section).toContain('Sliding window of 100 per 6 s, per key (confidence over 99.9 %).');
  });

  it.each([
    ['Kind', /^Kind\|sliding window\|sliding window\|\|.*Pass\|$/],
    ['Limit', /^Limit\|100\|100\|100\|.*Pass\|$/],
    ['Window', /^Window\|6 s\|6 s\|5,9\d\d – 6,0\d\d ms\|.*Pass\|$/],
    ['Rejected requests count', /\|no\|/],
    ['Keys', /^Keys\|per-key\|a separate limit each\|/],
    ['Requests without a valid key', /\|not limited\|/],
  ])('has %s beside what is promised', (head, row) => {
    expect(rowOf(section, head)).toMatch(row);
  });

  it.each([
    ['sliding window', /\|possible, over 99.9 %\|\d+\|/],
    ['fixed window', /\|A fixed window fits best.*\|\d+, \d+\|/],
    ['service without a limit', /\|Requests were rejected.\|\d+\|/],
  ])('lists the candidate %s with what speaks for or against it', (head, row) => {
    expect(rowOf(section, head)).toMatch(row);
  });

  it.each([
    ['GET /sessions/{id}', '4|0||has the same limit'],
    ['GET /shades with another key', '0|4||has a separate limit, or none'],
    ['GET /shades from another address', '4|0||has the same limit'],
    ['GET /shades with an unknown key', '0|0|4 × 401|401 before 429'],
    ['GET /sessions/{id} with an unknown id', '4|0||429 before 404'],
  ])('says of %s at the limit: %s', (head, rest) => {
    expect(rowOf(section, head)).toContain(`${head}|${rest}|`);
  });

  it('says what the answers without a valid key were', () => {
    expect(section).toContain('120 × 401');
  });

  it('draws what was admitted', () => {
    expect(section).toContain('id="plot-limiter-trailing"');
    expect(html).not.toContain('could not be made');
  });

  it('says so when the study sent nothing', async () => {
    const run = { studies: [{ kind: 'limits' as const, budget_ms: 1 }] };
    const empty = await withHistory({ run }, (history) => writeHtmlReport(history, mixedJudgement));
    expect(empty).toContain('The study of the limiter sent no requests.');
  });
});

describe('a study of 10,000 requests', () => {
  it('makes a page well below a megabyte', async () => {
    expect(limitsHistory(1_000).requests?.length).toBeGreaterThan(10_000);
    const html = await judgedPage(limitsHistory(1_000));
    expect(html.length).toBeLessThan(600_000);
    expect(html).toContain('Sliding window of 1,000 per 6 s');
  });
});

describe('the stretches of a study', () => {
  it('are what it did at the limit, and the probes, those side by side as one', async () => {
    const bands = await withHistory(limitsHistory(), studyBands);
    expect(bands.map(({ name }) => name)).toEqual(['at the limit', 'probe E + probe B']);
    expect(bands[0]?.toS).toBeLessThan(bands[1]?.fromS ?? 0);
  });
});

type Survivor = LimiterFindings['inference']['survivors'][number];

const survivor: Survivor = {
  algorithm: 'sliding-log',
  name: 'sliding window',
  limit: 1_000,
  windowMs: 60_000,
  burst: 1_000,
  refillPerS: null,
  phase: null,
  rejectsCount: false,
  limitBounds: { min: 1_000, max: 1_000 },
  windowMsBounds: { min: 59_990, max: 60_010 },
  mismatches: 3,
  confidence: 0.9992,
};
const nothingKnown = { per_key: null, per_address: null, per_endpoint: null, unauthenticated_counted: null };

function found(
  survivors: readonly Survivor[],
  scope: LimiterFindings['scope'] = nothingKnown,
): LimiterFindings {
  return {
    inference: { requests: 10, admitted: 5, limited: 5, survivors, refuted: [] },
    traces: [],
    tried: [],
    scope,
    refusalStatus: 429,
    keysDiffer: false,
    rejected: 0,
    drift: undefined,
    asPromised: undefined,
  };
}

describe('the finding in words', () => {
  it.each<[string, LimiterFindings]>([
    [
      'sliding window of 1,000 per minute, per key (confidence over 99.9 %)',
      found([survivor], { ...nothingKnown, per_key: true, per_address: false }),
    ],
    [
      'sliding window of 1,000 per minute, one for all keys and per endpoint (confidence 97.3 %)',
      found([{ ...survivor, confidence: 0.973 }], { ...nothingKnown, per_key: false, per_endpoint: true }),
    ],
    [
      'undecided: sliding window of 1,000 per minute (60 %), token bucket of 1,000 per minute (39.9 %)',
      found([
        { ...survivor, confidence: 0.6 },
        { ...survivor, name: 'token bucket', confidence: 0.399 },
        { ...survivor, name: 'fixed window', confidence: 0.0001 },
      ]),
    ],
    [
      'undecided: sliding window of 1,000 per minute (50 %), or a token bucket of 900 per minute, as promised',
      {
        ...found([{ ...survivor, confidence: 0.4996 }]),
        asPromised: { name: 'token bucket', requests: 900, windowMs: 60_000 },
      },
    ],
    [
      'limit on concurrent requests, of 8 (confidence 98 %)',
      found([
        {
          ...survivor,
          algorithm: 'concurrency',
          name: 'limit on concurrent requests',
          limit: 8,
          windowMs: null,
          confidence: 0.98,
        },
      ]),
    ],
    [
      'service without a limit (confidence over 99.9 %)',
      found(
        [{ ...survivor, algorithm: 'none', name: 'service without a limit', limit: null, windowMs: null }],
        {
          ...nothingKnown,
          per_key: true,
        },
      ),
    ],
    [
      'window extended by rejections of 100 per 4.9 s to 6.1 s (confidence over 99.9 %)',
      found([
        {
          ...survivor,
          name: 'window extended by rejections',
          limit: 100,
          windowMs: 5_000,
          windowMsBounds: { min: 4_944, max: 6_131 },
        },
      ]),
    ],
    ['no known kind of limiter explains every answer', found([])],
  ])('is: %s', (words, findings) => {
    expect(inWords(findings)).toBe(words);
  });

  it.each([
    [1, 'over 99.9 %'],
    [0.9989, '99.9 %'],
    [0.5, '50 %'],
    [0, 'under 0.1 %'],
  ])('gives the probability %d as %s', (probability, text) => {
    expect(percent(probability)).toBe(text);
  });

  const clause = inWords(found([survivor], { ...nothingKnown, per_key: true }));
  const without = answerFrom(sampleRun, mixedJudgement);
  const answer = { ...without, results: [{ label: 'Limiter', value: clause, rank: 'first' } as const] };

  it('stands under the verdict in the terminal, within its width', () => {
    const lines = renderSummary(answer, { columns: 60, colour: false }).split('\n');
    const at = lines.findIndex((line) => line.startsWith('Limiter   '));
    expect(lines[at - 1]).toMatch(/FAIL/);
    expect(lines.slice(at, at + 2).join('\n')).toBe(
      'Limiter   sliding window of 1,000 per minute, per key\n          (confidence over 99.9 %)',
    );
  });

  it('stands at the top of the Markdown summary', () => {
    const text = renderMarkdown(answer);
    expect(text).toContain(
      '\n\n**Limiter**: sliding window of 1,000 per minute, per key (confidence over 99.9 %).\n\n',
    );
  });

  it('is missing from both, and from the line, without a study', async () => {
    expect(renderSummary(without, { columns: 80, colour: false })).not.toContain('Limiter');
    expect(renderMarkdown(without)).not.toContain('Limiter');
    expect(await withHistory({}, limiterLine)).toBeUndefined();
  });
});
