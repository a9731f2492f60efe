import { describe, expect, it } from 'vitest';
import { Recorder } from '../../src/drive/recorder.ts';
import { LiveStatistics } from '../../src/drive/statistics.ts';
import type { AnswerRecord } from '../../src/history/record.ts';
import { listShades } from '../../src/target/calls.ts';
import { Exchange } from '../../src/target/exchange.ts';
import { profileSchema } from '../../src/target/profile.ts';

/** The answer that is kept of a list that came with these headers. */
function kept(headers: Readonly<Record<string, string>>): AnswerRecord | undefined {
  const answers: AnswerRecord[] = [];
  const sink = {
    request: () => {},
    interaction: () => {},
    answer: (record: AnswerRecord) => answers.push(record),
  };
  const recorder = new Recorder({
    writer: sink,
    profile: profileSchema.parse({}),
    secrets: [],
    statistics: new LiveStatistics(),
  });
  const exchange = new Exchange(listShades('c'), undefined, () => 0, { done: () => {} });
  const control = {} as Parameters<typeof exchange.onResponseStart>[0];
  exchange.onRequestStart();
  exchange.onResponseStart(control, 200, { 'content-type': 'application/json', ...headers });
  exchange.onResponseData(control, Buffer.from('[]'));
  exchange.onResponseEnd();
  recorder.exchanged(
    {
      seq: 1,
      stage: 'setup',
      phase: 'contract',
      credential: 'load',
      intendedNs: 0,
      readyNs: 0,
      keepAnswer: { catalog_id: 'c' },
    },
    exchange,
  );
  return answers[0];
}

describe('an answer that is kept', () => {
  it.each<[string, Readonly<Record<string, string>>, string | undefined]>([
    ['is whole where no header says otherwise', { 'x-request-id': '1' }, undefined],
    ['is a page where a link leads to the next', { link: '</shades?page=2>; rel="next"' }, 'link'],
    ['is no page where links lead elsewhere', { link: '</docs>; rel="help"' }, undefined],
    ['is a page where a total is counted beside it', { 'x-total-count': '500' }, 'x-total-count'],
    ['is a page where a range is given', { 'content-range': 'items 0-99/500' }, 'content-range'],
  ])('%s', (_, headers, pagedBy) => {
    expect(kept(headers)?.pagedBy).toBe(pagedBy);
  });
});
