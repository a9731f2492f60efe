import { describe, expect, it } from 'vitest';
import type { CauseCode } from '../../../src/checks/causes/cause.ts';
import type { SampleRequest } from '../../history/sample.ts';
import { sampleRun } from '../../history/sample.ts';
import { causeCodes } from '../cause-codes.ts';
import { type Change, judged, second } from './target.ts';

const zeroMs = sampleRun.zero_epoch_ms;

/** An answer each second for a minute, dated by a clock that is told the second of the run. */
function dated(
  clockS: (atS: number) => number,
  endpoint: SampleRequest['endpoint'] = 'interact',
): SampleRequest[] {
  return Array.from({ length: 60 }, (_, atS) => ({
    endpoint,
    status: 429,
    intendedNs: atS * second,
    serverDateMs: zeroMs + Math.floor(clockS(atS)) * 1e3,
  }));
}

describe('the Date header', () => {
  it.each<[string, Change, ...CauseCode[]]>([
    ['that is the time is right', { more: dated((atS) => atS) }],
    ['that is half an hour off is right', { more: dated((atS) => atS + 1_800) }],
    ['of two machines that are 2 s apart is right', { more: dated((atS) => atS + (atS % 2) * 2) }],
    ['of a clock that is set once is right', { more: dated((atS) => (atS < 20 ? atS : atS + 60)) }],
    ['that a cache repeats is right', { more: dated(() => 0, 'list-shades') }],
    ['that stands still is wrong', { more: dated(() => 0) }, 'dates-apart'],
    ['that runs at half the speed is wrong', { more: dated((atS) => atS / 2) }, 'dates-apart'],
    [
      'of machines that are as far apart as the profile says is right',
      { more: dated((atS) => atS + (atS % 2) * 20), profile: { clock_skew_bound: '10s' } },
    ],
  ])('%s', async (_, change, ...causes) => {
    const answers = (await judged(change)).find(({ id }) => id === 'contract.answers');
    expect(answers?.verdict).toBe(causes.length === 0 ? 'pass' : 'fail');
    expect(causeCodes([answers])).toEqual(causes);
  });

  it.each<[string, (atS: number) => number, byMs: number | undefined]>([
    ['a clock that is set back', (atS) => (atS < 20 ? atS : atS - 5), -5_000],
    ['a clock that is set forward', (atS) => (atS < 20 ? atS : atS + 60), 60_000],
    ['no clock that runs on', (atS) => atS, undefined],
    ['none of two that answer in turn', (atS) => atS + (atS % 2) * 5, undefined],
  ])('shows the step of %s', async (_, clockS, byMs) => {
    const answers = (await judged({ more: dated(clockS) })).find(({ id }) => id === 'contract.answers');
    const steps = answers?.reasons.filter(({ code }) => code === 'answers-clock-stepped');
    expect(steps).toEqual(
      byMs === undefined
        ? []
        : [{ code: 'answers-clock-stepped', params: { byMs: expect.closeTo(byMs, -3), atMs: 20_000 } }],
    );
  });
});
