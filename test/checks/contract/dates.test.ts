import { describe, expect, it } from 'vitest';
import type { CauseCode } from '../../../src/checks/causes/cause.ts';
import type { Probe } from '../../../src/vocabulary/probes.ts';
import { type SampleRequest, sampleRun } from '../../history/sample.ts';
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

  it.each<[string, readonly SampleRequest[], endpoints: readonly string[]]>([
    ['of one of two machines', dated((atS) => atS + (atS % 2) * 5), ['interact']],
    ['behind some paths', [...dated((atS) => atS), ...dated((atS) => atS + 5, 'analytics')], ['analytics']],
    [
      'behind some paths from an instant on',
      [...dated((atS) => atS), ...dated((atS) => (atS < 30 ? atS : atS + 5), 'list-shades')],
      ['list-shades'],
    ],
    ['that is set once', dated((atS) => (atS < 20 ? atS : atS + 5)), []],
    ['and a cache that repeats old dates', [...dated((atS) => atS), ...dated(() => 0, 'list-shades')], []],
    ['that runs on', dated((atS) => atS), []],
  ])(
    'tells a clock that is ahead of others, within what the profile allows: %s',
    async (_, more, endpoints) => {
      const answers = (await judged({ more })).find(({ id }) => id === 'contract.answers');
      const said = answers?.reasons.flatMap((each) =>
        each.code === 'answers-clocks-differ' ? each.params.endpoints : [],
      );
      expect(answers?.verdict).toBe('pass');
      expect(said).toEqual(endpoints);
    },
  );

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

const problem = 'content-type of a 404: expected application/json, got "text/html"';

/** The check of answers, where a 404 with a page comes to a request for a session. */
async function answersWith(probe: Probe | undefined): Promise<string | undefined> {
  const page = { endpoint: 'read-session', credential: 'load', status: 404, problem } as const;
  const more = [probe === undefined ? page : { ...page, probe }];
  const results = await judged({ more, profile: { error_bodies: 'json' } });
  return results.find(({ id }) => id === 'contract.answers')?.verdict;
}

describe('an error that is a page, where JSON is promised', () => {
  it.each<[string, Probe | undefined, string]>([
    ['to an ordinary request is wrong', undefined, 'fail'],
    ['to an unknown id is wrong', 'unknown-session', 'fail'],
    ['to a path in another spelling may be a router’s', 'scope:spelled', 'pass'],
  ])('%s', async (_, probe, verdict) => {
    expect(await answersWith(probe)).toBe(verdict);
  });
});

it('is no fault where nothing is promised of errors, and is said', async () => {
  const page = { endpoint: 'read-session', credential: 'load', status: 404, problem } as const;
  const results = await judged({ more: [page] });
  expect(results.find(({ id }) => id === 'contract.answers')).toMatchObject({
    verdict: 'pass',
    explanation: expect.stringContaining(
      'Errors (404) from GET /sessions/{id} do not have the media type of JSON.',
    ),
  });
});
