import { describe, expect, it } from 'vitest';
import { byAnswer, lastSentOf, subsetOf } from '../../src/limits/counts.ts';
import { admitted } from '../../src/limits/trace.ts';
import { written } from './written.ts';

const s = 1e9;
/** Of four admitted requests, the second is overtaken by all others; two more are rejected. */
const trace = written('1~2+ 2~9+ 3~4- 5~6+ 7~8+ 10~11-');
const admissions = () => subsetOf(trace, (outcome) => outcome === admitted);

describe('some requests of a trace', () => {
  it('are those that are wanted, with their places in the trace', () => {
    const passed = admissions();
    expect(passed).toMatchObject({ length: 4, index: Int32Array.of(0, 1, 3, 4) });
    expect([...passed.sentNs]).toEqual([1 * s, 2 * s, 5 * s, 7 * s]);
    expect([...passed.answeredNs]).toEqual([2 * s, 9 * s, 6 * s, 8 * s]);
  });

  it('have at each the latest answer so far, and the earliest from there on', () => {
    const passed = admissions();
    expect([...passed.latestAnswerNs]).toEqual([2 * s, 9 * s, 9 * s, 9 * s]);
    expect([...passed.earliestAnswerNs]).toEqual([2 * s, 6 * s, 6 * s, 8 * s]);
  });
});

describe('requests in the order of their answers', () => {
  it('have the latest send time so far', () => {
    const answers = byAnswer(admissions());
    expect([...answers.answeredNs]).toEqual([2 * s, 6 * s, 8 * s, 9 * s]);
    expect([...answers.sentNs]).toEqual([1 * s, 5 * s, 7 * s, 2 * s]);
    expect([...answers.latestSentNs]).toEqual([1 * s, 5 * s, 7 * s, 7 * s]);
  });

  it.each([
    ['nothing was answered before the first answer', 2 * s, Number.NEGATIVE_INFINITY],
    ['the first was, a nanosecond later', 2 * s + 1, 1 * s],
    ['the last send time is not that of the last answer', 100 * s, 7 * s],
  ])('%s', (_, beforeNs, sentNs) => {
    expect(lastSentOf(byAnswer(admissions()), beforeNs)).toBe(sentNs);
  });
});
