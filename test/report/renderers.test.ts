import { describe, expect, it } from 'vitest';
import { reason } from '../../src/checks/reasons/reason.ts';
import { answerFrom } from '../../src/report/answer.ts';
import { renderJunit } from '../../src/report/junit.ts';
import { prose, renderMarkdown } from '../../src/report/markdown.ts';
import { compared, intervalText, shownText } from '../../src/report/shown.ts';
import { renderSummary } from '../../src/report/terminal.ts';
import { firstSentences, visible, wrap } from '../../src/report/text.ts';
import { sampleRun } from '../history/sample.ts';
import { hostile, hostileJudgement } from './hostile.ts';
import { mixedJudgement } from './judgements.ts';

const plain = { columns: 80, colour: false };
const hostileRun = { ...sampleRun, scenario: { name: hostile, title: hostile } };
// biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is what is tested.
const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

it('a line does not end between a number and its unit', () => {
  expect(wrap('nothing was answered for 5 s, from 1.2 s', 26)).toEqual([
    'nothing was answered for',
    '5 s, from 1.2 s',
  ]);
  expect(wrap('below 4 % here, 4 samples', 7)).toEqual(['below', '4 %', 'here, 4', 'samples']);
});

describe('a value of a check', () => {
  it.each([
    [{ min: 900, max: 1_000 }, '900 – 1,000'],
    [{ min: 3, max: 3 }, '3'],
    [{ min: 3 }, '≥ 3'],
    [{ max: 0.5 }, '≤ 0.5'],
    [{}, 'anything'],
  ])('%j reads %s', (interval, text) => {
    expect(intervalText(interval)).toBe(text);
  });

  it.each([
    [null, '—'],
    [true, 'yes'],
    [12_345.6789, '12,345.6789'],
    [[], 'none'],
    [{}, 'nothing'],
    [
      { sessions: { min: 1, max: 2 }, rates: [0.1, 0.2], more: { a: 1 } },
      'sessions: 1 – 2, rates: [0.1, 0.2], more: (a: 1)',
    ],
  ])('%j reads %s in a line', (value, text) => {
    expect(shownText(value)).toBe(text);
  });

  it('that is a long list says how much is left out', () => {
    expect(shownText([1, 2, 3, 4], 2)).toBe('1, 2 and 2 more');
  });
});

describe('what differs between expected and observed', () => {
  it.each([
    ['a number in an interval', { max: 100 }, 100, 0],
    ['a number beyond it', { max: 100 }, 150, 1],
    ['an interval that overlaps', { min: 900, max: 1_000 }, { min: 990, max: 1_010 }, 0],
    ['named values, one of them wrong', { a: 1, b: { max: 2 } }, { a: 1, b: 3, c: 4 }, 1],
    ['entries of a list, one of them missing', [{ sku: 'A', n: { min: 1 } }, 'B'], [{ sku: 'A', n: 2 }], 1],
    ['equal texts', 'completed', 'completed', 0],
  ])('is counted of %s', (_what, expected, observed, differing) => {
    expect(compared(expected, observed).differ).toHaveLength(differing);
  });

  it('has its place, and what agrees has, too', () => {
    const parts = compared({ q: [1, 2], p: 'x' }, { q: [1, 3], p: 'x' });
    expect(parts).toEqual({
      differ: [{ at: 'q, 2', expected: 2, observed: 3 }],
      agree: [
        { at: 'q, 1', expected: 1, observed: 1 },
        { at: 'p', expected: 'x', observed: 'x' },
      ],
    });
  });
});

it.each([
  [12, 'One is. Two.'],
  [7, 'One is.'],
  [3, 'One is.'],
])('whole sentences of at most %i characters, but at least one', (most, text) => {
  expect(firstSentences('One is. Two. Three is 3.5 long.', ({ length }) => length <= most)).toBe(text);
});

describe('foreign text', () => {
  it('has its steering characters made visible and its letters left alone', () => {
    expect(visible('a\u001b[2J\u202eb\u0000\nc אב é 💄')).toBe('a\\u001b[2J\\u202eb\\u0000 c אב é 💄');
  });
});

const figures = [{ label: 'Requests', value: '3,400 sent', rank: 'first' }] as const;
const mixed = answerFrom(sampleRun, mixedJudgement, { figures });

describe('the summary in the terminal', () => {
  const text = renderSummary(mixed, {
    ...plain,
    verbose: true,
    reportPath: 'reports/x/report.html',
  });

  it('says the verdict, each group, each failure with its explanation, the numbers and the path', () => {
    expect(text).toContain('✗ FAIL  2 failed, 1 inconclusive, 7 passed');
    expect(text).toMatch(/✗ Session quota +1 failed/);
    expect(text).toContain('✓ Accounting');
    expect(text).toContain('quota.edge');
    expect(text).toMatch(/of +sessions_created\n +expected +119 – 120\n +observed +121\n/);
    expect(text).toMatch(/Requests +3,400 sent/);
    expect(text).toContain('Report  reports/x/report.html');
    expect(text).not.toContain('contract.auth');
  });

  it.each([40, 60, 80, 200])('fits 24 lines and %i columns unless all is asked for', (columns) => {
    const many = [...mixedJudgement.checks, ...mixedJudgement.checks, ...mixedJudgement.checks];
    const value =
      'undecided: fixed window of 1,000 per minute (70.6 %), sliding counter of 897 per 36 s (29.4 %)';
    const answer = answerFrom(
      sampleRun,
      { ...mixedJudgement, checks: many },
      { figures, results: [{ label: 'Limiter', value, rank: 'first' }] },
    );
    const short = renderSummary(answer, { columns, colour: false, reportPath: 'reports/x/report.html' });
    const lines = short.split('\n');
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(Math.min(80, columns));
    expect(short).not.toContain('…');
    expect(short).toMatch(/^✗ FAIL/m);
    expect(short).toMatch(/(\d more: see|Not shown: .*\. See) the report, or use --verbose/);
    expect(short).toContain('Report  reports/x/report.html');
  });

  it('has colour where it is asked for', () => {
    expect(renderSummary(mixed, { columns: 80, colour: true })).toContain('\u001b[31m');
    expect(text).not.toMatch(control);
  });

  it('warns of a generator-bound run and of an early end', () => {
    const run = { ...sampleRun, ended: { at_epoch_ms: 1, how: 'interrupted', detail: 'Ctrl-C' } } as const;
    const warned = renderSummary(answerFrom(run, { ...mixedJudgement, generatorBound: true }), plain);
    expect(warned).toContain('Generator-bound');
    expect(warned).toContain('ended early (interrupted): Ctrl-C');
  });

  it('says that the clock of the target was set, also where that breaks nothing', () => {
    const [first, ...others] = mixedJudgement.checks;
    if (first === undefined) throw new Error('there are checks');
    const reasons = [reason('answers-clock-stepped', { byMs: -5_040, atMs: 12_300 })];
    const stepped = { ...mixedJudgement, checks: [{ ...first, reasons }, ...others] };
    expect(renderSummary(answerFrom(sampleRun, stepped), plain).replace(/\s+/g, ' ')).toContain(
      'the clock of the target was set back by about 5 s, 12.3 s after the start of the run.',
    );
  });

  it.each([undefined, { at_epoch_ms: 1, how: 'error', detail: 'the target went away' }] as const)(
    'of a run that ended early says that first, and counts what it did not get to: %j',
    (ended) => {
      const run = { ...sampleRun, ended };
      const early = ended === undefined ? /was killed/ : /ended early \(error\)(\*\*)?: the target went away/;
      const answer = answerFrom(run, mixedJudgement);
      const summary = renderSummary(answer, plain);
      const markdown = renderMarkdown(answer);
      for (const text of [summary, markdown]) {
        expect(text.search(early)).toBeGreaterThan(0);
        expect(text.search(early)).toBeLessThan(text.indexOf('1 inconclusive'));
        expect(text).toContain('quota.edge');
        expect(text).not.toContain('rate-limit.retry-after');
      }
    },
  );

  it('lets no foreign character steer the terminal', () => {
    expect(renderSummary(answerFrom(hostileRun, hostileJudgement), plain)).not.toMatch(control);
  });
});

describe('summary.md', () => {
  it('has a table of groups and every check that did not pass', () => {
    const text = renderMarkdown(mixed);
    expect(text).toMatch(/^## ✗ Fail: A history written by hand\n/);
    expect(text).toContain('| Session quota | ✗ Fail | 1 failed |');
    expect(text).toContain(
      '<summary>? Inconclusive: Retry-After tells the truth (rate-limit.retry-after)</summary>',
    );
    expect(text).toContain('- observed (sessions\\_created): `121`');
    expect(text).toContain('| Requests | 3,400 sent |');
    expect(text).not.toContain('contract.auth');
  });

  it('turns nothing foreign into markup, a mention or a link', () => {
    const text = renderMarkdown(answerFrom(hostileRun, hostileJudgement)).replaceAll(
      /(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g,
      '',
    );
    expect(text).not.toMatch(control);
    expect(text).not.toMatch(/<(script|img)/);
    expect(text).not.toMatch(/@octocat|#12|https?:\/\//);
  });
});

it('the text of a summary has backticks that are shown, and mentions and numbers of issues that are none', () => {
  expect(prose('`a` of @b is #1')).toBe('&#96;a&#96; of @<!-- -->b is #<!-- -->1');
});

describe('junit.xml', () => {
  it('counts failures, and shows inconclusive checks as skipped with the reason', () => {
    const text = renderJunit(mixed);
    expect(text).toContain('<testsuites name="tryon sample" tests="10" failures="2" errors="0" skipped="1"');
    expect(text).toContain('<testsuite name="Session quota" tests="1" failures="1"');
    expect(text).toMatch(/<failure type="quota\.edge" message="The plan allows 120 sessions/);
    expect(text).toMatch(/<skipped message="inconclusive: No request was sent within 200 ms/);
  });

  it('has the time of the run once: at the check that the run is complete', () => {
    const [first] = mixedJudgement.checks;
    if (first === undefined) throw new Error('there are checks');
    const checks = [first, { ...first, id: 'history.complete' as const }];
    const ended = { at_epoch_ms: sampleRun.zero_epoch_ms + 12_500, how: 'completed' } as const;
    const text = renderJunit(answerFrom({ ...sampleRun, ended }, { ...mixedJudgement, checks }));
    expect(
      [...text.matchAll(/<(testsuites|testsuite|testcase).* time="([^"]*)"/g)].map(([, tag, time]) => [
        tag,
        time,
      ]),
    ).toEqual([
      ['testsuites', '12.500'],
      ['testsuite', '0.000'],
      ['testcase', '0.000'],
      ['testsuite', '12.500'],
      ['testcase', '12.500'],
    ]);
  });

  it('escapes what XML does not allow', () => {
    const text = renderJunit(answerFrom(hostileRun, hostileJudgement));
    expect(text).not.toMatch(control);
    expect(text).not.toMatch(/<(script|img)/);
    expect(text).not.toMatch(/&(?!(amp|lt|gt|quot|apos);)/);
  });
});
