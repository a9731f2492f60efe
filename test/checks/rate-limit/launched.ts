import type { CheckResult, Verdict } from '../../../src/checks/core/verdict.ts';
import type { RunInfo } from '../../../src/history/run.ts';
import { ambiguous, limited } from '../../../src/limits/trace.ts';
import type { ProfileInput } from '../../../src/target/profile.ts';
import { type SampleHistory, type SampleRequest, withHistory } from '../../history/sample.ts';
import { honestLimiters, type LimiterMaker, launchTrace } from '../../limits/simulate.ts';
import { renderedRateLimit } from './rendered.ts';

/** The launch scenario at a tenth of its length: 100 requests in 6 s are promised. */
export const factor = 10;
export const profile: ProfileInput = { rate_limit: '100/6s' };

export function phase(role: 'load' | 'quota' | 'bystander', perMinute: number): RunInfo['phases'][number] {
  return {
    name: 'overload',
    role,
    unit: 'requests',
    pace: `${perMinute}/min`,
    start_ns: 0,
    end_ns: 1,
    peak_per_minute: perMinute,
  };
}
/** Nobody has used these keys before the run. */
export const embedded = { kind: 'embedded', base_url: 'http://127.0.0.1:1/v1' } as const;
export const meantToExceed: Partial<RunInfo> = { phases: [phase('load', 4_000)] };

/** What a client saw of a limiter under the launch load; refusals as `refusal` says. */
export function launched(
  make: LimiterMaker,
  limit = 1_000,
  refusal: Partial<SampleRequest> = {},
): SampleRequest[] {
  const trace = launchTrace(make, limit, 1, factor);
  return Array.from(trace.outcome, (outcome, i) => ({
    endpoint: 'list-shades' as const,
    sentNs: Math.round(trace.sentNs[i] ?? 0),
    answeredNs: Math.round(trace.answeredNs[i] ?? 0),
    ...(outcome === ambiguous ? { lost: 'timeout' as const } : { status: outcome === limited ? 429 : 200 }),
    ...(outcome === limited ? refusal : {}),
  }));
}

/** Requests every `everyMs` from `fromMs`, answered with `status`. */
export function steady(
  count: number,
  fromMs: number,
  everyMs: number,
  request: Partial<SampleRequest>,
): SampleRequest[] {
  return Array.from({ length: count }, (_, k) => ({
    endpoint: 'list-shades' as const,
    sentNs: (fromMs + k * everyMs) * 1e6,
    ...request,
  }));
}

export const fixedWindow = honestLimiters['fixed window, first request'].make;
export const slidingLog = honestLimiters['sliding log'].make;

/** Judges a history in which the overload was meant, unless it says otherwise. */
export async function judge(sample: SampleHistory): Promise<Map<string, CheckResult>> {
  const requests = sample.requests?.toSorted((a, b) => (a.sentNs ?? 0) - (b.sentNs ?? 0));
  const results = await withHistory(
    {
      ...sample,
      run: { target: embedded, ...(sample.run ?? meantToExceed) },
      profile: { ...profile, ...sample.profile },
      ...(requests ? { requests } : {}),
    },
    renderedRateLimit,
  );
  return new Map(results.map((result) => [result.id, result]));
}

export async function verdict(sample: SampleHistory, id: string): Promise<Verdict | undefined> {
  return (await judge(sample)).get(id)?.verdict;
}

/** Quiet load, within the limit by any reading: 10 a second for 5 s, with refusals of its 20th to 22nd request. */
export const refusedWhenQuiet = steady(50, 0, 100, {}).map((request, k) =>
  k >= 20 && k < 23 ? { ...request, status: 429 } : request,
);

export const longQuietMs = 60_000;
export const bystanderRefused = { credential: 'bystander', status: 429 } as const;
