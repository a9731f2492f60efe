import { describe, expect, it } from 'vitest';
import { subsetOf } from '../../src/limits/counts.ts';
import { type Answered, refusalStatusOf } from '../../src/limits/sent/traces.ts';
import { admitted, limited } from '../../src/limits/trace.ts';
import { refusalOrderOf } from '../../src/limits/view.ts';
import { written } from './written.ts';

const s = 1e9;
const never = Number.NEGATIVE_INFINITY;

/** For each request, in seconds: the answer of a rejection that may have come before it, and the sending of one that surely did. */
function orderIn(requests: string): (readonly [maybe: number, surely: number])[] {
  const trace = written(requests);
  const { maybeBeforeNs, surelyBeforeNs } = refusalOrderOf(
    trace,
    subsetOf(trace, (outcome) => outcome === limited),
    subsetOf(trace, (outcome) => outcome !== admitted),
  );
  return Array.from(maybeBeforeNs, (ns, i) => [ns / s, (surelyBeforeNs[i] as number) / s]);
}

describe('the rejections before a request', () => {
  it.each([
    ['are none at the first one itself', '0~1-', [[never, never]]],
    [
      'are those that were answered before it was sent',
      '0~1- 2~3+',
      [
        [never, never],
        [1, 0],
      ],
    ],
    [
      'are not sure if one was answered as it was sent',
      '0~2- 2~3+',
      [
        [never, never],
        [2, never],
      ],
    ],
    ['may be one that was sent as it was answered', '0~2+ 2~3-', [[3, never], [2, never].map(() => never)]],
    [
      'cannot be one that was sent after its answer',
      '0~2+ 2.5~3-',
      [
        [never, never],
        [never, never],
      ],
    ],
    [
      'may be a request without an answer, which is none surely',
      '0~9? 10~11+',
      [
        [never, never],
        [9, never],
      ],
    ],
    [
      'are the latest answer and the latest sending, of different ones',
      '0~9- 1~2- 10~11+',
      [
        [2, never],
        [9, never],
        [9, 1],
      ],
    ],
    [
      'leave out the request itself between others',
      '0~5- 1~6- 2~7-',
      [
        [7, never],
        [7, never],
        [6, never],
      ],
    ],
    [
      'are none where all are admitted',
      '0~1+ 2~3+',
      [
        [never, never],
        [never, never],
      ],
    ],
  ])('%s', (_, requests, expected) => {
    expect(orderIn(requests)).toEqual(expected);
  });
});

const errors = (count: number, status: number, endpoint = 'list-shades'): Answered[] =>
  Array.from({ length: count }, () => ({ endpoint, status }));

describe('the status of rejections', () => {
  it.each<[string, readonly Answered[], number]>([
    ['is 429 where there is one', [...errors(50, 503), ...errors(1, 429)], 429],
    ['is 429 without any error', errors(50, 200), 429],
    ['is the error that ten reads got', errors(10, 503), 503],
    ['is 429 where only nine got another one', errors(9, 503), 429],
    ['is the commonest of several', [...errors(10, 503), ...errors(11, 403)], 403],
    ['is no error of another endpoint', errors(50, 503, 'open-session'), 429],
    ['is not what is missing', errors(50, 404), 429],
    ['is not a wrong key', errors(50, 401), 429],
    ['may be 400, the first of all errors', errors(10, 400), 400],
    ['is none that is no error', errors(50, 399), 429],
    [
      'is none where nothing was answered',
      [
        { endpoint: 'list-shades', status: null },
        { endpoint: 'list-shades', status: undefined },
      ],
      429,
    ],
  ])('%s', (_, requests, status) => {
    expect(refusalStatusOf(requests)).toBe(status);
  });
});
