import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../src/checks/diagnosis/diagnose.ts';
import { limiterFindings } from '../../../src/checks/rate-limit/study/findings.ts';
import { ambiguous, limited } from '../../../src/limits/trace.ts';
import { rowsOf } from '../../effort.ts';
import { type SampleRequest, sampleRun, withHistory } from '../../history/sample.ts';
import { SimulatedStudy } from '../../limits/probing.ts';
import { type SimulatedService, type Truth, truths } from '../../limits/services.ts';
import { honestLimiters, type LimiterMaker, scaledLoad } from '../../limits/simulate.ts';
import { factor, judge, launched, profile, steady } from './launched.ts';

/** Goes by a clock that is set within the run. */
const setAt =
  (make: LimiterMaker, atMs: number, byMs: number): LimiterMaker =>
  (...world) => {
    const passes = make(...world);
    return (ms) => passes(ms < atMs ? ms : ms + byMs);
  };

const zeroMs = sampleRun.zero_epoch_ms;

function dated(requests: readonly SampleRequest[], atMs: number, byMs: number): SampleRequest[] {
  return requests.map((request) => {
    const ms = (request.sentNs ?? 0) / 1e6;
    const shownMs = zeroMs + ms + (ms < atMs ? 0 : byMs);
    return { ...request, serverDateMs: Math.floor(shownMs / 1e3) * 1e3 };
  });
}

/** When the overload of the scaled launch begins, and when it is half over. */
const [, normal = { ms: 0 }, overload = { ms: 0 }] = scaledLoad(factor);
const middleMs = normal.ms + overload.ms / 2;

async function failsAndCauses(requests: readonly SampleRequest[]): Promise<readonly [string[], string[]]> {
  const results = [...(await judge({ requests })).values()];
  return [
    results.flatMap(({ id, verdict }) => (verdict === 'fail' ? [id] : [])),
    diagnose(results).causes.map(({ cause }) => cause.code),
  ];
}

describe('a target whose clock is set within the run', () => {
  it.each(
    rowsOf(
      ['fixed window, aligned', 'sliding log', 'sliding counter', 'GCRA'] as const,
      (name) => name === 'sliding log' || name === 'GCRA',
    ),
  )('is not accused for a %s that goes by it, set back by 5 s', async (name) => {
    const make = setAt(honestLimiters[name].make, middleMs, -5_000);
    expect(await failsAndCauses(dated(launched(make), middleMs, -5_000))).toEqual([[], []]);
  });

  it.each(
    rowsOf(
      [
        ['before', 0, 20_000, 'limit-differs'],
        ['after', 32_000, 20_000, 'refused-below-limit'],
      ],
      (_, place) => place === 0,
    ),
  )('is told that its limit is too small by the requests %s that', async (shownBy, fromMs, atMs, cause) => {
    const quiet = steady(35, fromMs === 0 ? 19_000 : 0, 900, {});
    const load = launched(honestLimiters['sliding log'].make, 700).map((request) => ({
      ...request,
      sentNs: (request.sentNs ?? 0) + fromMs * 1e6,
      answeredNs: (request.answeredNs ?? 0) + fromMs * 1e6,
    }));
    const results = await judge({ requests: dated([...quiet, ...load], atMs, -5_000) });
    const wrongful = results.get('rate-limit.wrongful');
    expect(wrongful?.verdict).toBe('fail');
    const stepped = wrongful?.reasons.find(({ code }) => code === 'limit-clock-stepped');
    expect(stepped?.params).toMatchObject({ shownBy });
    expect(diagnose([...results.values()]).causes.map(({ cause }) => cause.code)).toEqual([cause]);
  });
});

const scale = { limit: 100, windowMs: 6_000 };
const run = { studies: [{ kind: 'limits' as const, budget_ms: 1 }] };
const ofStudy = ['algorithm', 'limit', 'window'] as const;

/** The requests of a study of a limiter, whose clock is set by so much between two probes. */
function studied(name: keyof typeof truths, { byMs = 0, limit = scale.limit } = {}): SampleRequest[] {
  const truth = truths[name] as Truth;
  let setMs = Number.POSITIVE_INFINITY;
  const make: Truth['make'] = (_limit, windowMs, world) => {
    const serve = truth.make(limit, windowMs, world);
    return (): SimulatedService => {
      const answer = serve();
      return (ms) => answer(ms < setMs ? ms : ms + byMs);
    };
  };
  const study = new SimulatedStudy({ ...truth, make }, scale, 3);
  for (const probe of ['E', 'B'] as const) study.probe(probe);
  setMs = Math.max(...study.traces().flatMap(({ sentNs }) => [...sentNs])) / 1e6 + 100;
  for (const probe of ['E', 'F'] as const) study.probe(probe);
  const credentials = ['load', 'bystander'] as const;
  const requests = study.traces().flatMap((trace, key) =>
    Array.from(
      trace.outcome,
      (outcome, i): SampleRequest => ({
        endpoint: 'list-shades',
        stage: 'study',
        phase: 'limits: probe E',
        credential: credentials[key] ?? 'load',
        sentNs: Math.round(trace.sentNs[i] ?? 0),
        answeredNs: Math.round(trace.answeredNs[i] ?? 0),
        ...(outcome === ambiguous ? { lost: 'timeout' } : { status: outcome === limited ? 429 : 200 }),
      }),
    ),
  );
  return dated(
    requests.toSorted((a, b) => (a.sentNs ?? 0) - (b.sentNs ?? 0)),
    setMs,
    byMs,
  );
}

describe('a study during which the clock of the target is set', () => {
  it.each(rowsOf(['sliding log', 'fixed window, any phase'], (name) => name !== 'sliding log'))(
    'finds the %s that it has',
    async (name) => {
      const requests = studied(name, { byMs: -5_000 });
      const results = await judge({ run, requests });
      const verdicts = ofStudy.map((what) => {
        const { verdict, reasons = [] } = results.get(`rate-limit.${what}`) ?? {};
        return [verdict, reasons.some(({ code }) => code === 'limit-clock-stepped')];
      });
      expect(verdicts).toEqual(ofStudy.map(() => ['pass', true]));
      expect([...results.values()].filter(({ verdict }) => verdict === 'fail')).toEqual([]);
      const found = await withHistory({ run, requests, profile }, async (history) =>
        limiterFindings(history),
      );
      const [best] = found?.inference.survivors ?? [];
      expect(truths[name]?.names).toContain(best?.algorithm);
      expect(best?.limitBounds).toEqual({ min: 100, max: 100 });
    },
  );
});

describe('a study that finds a limit of 90', () => {
  it.each([
    ['one request in 200 is late', 200, 'fail', ['limit-differs']],
    ['one request in 50 is late', 50, 'inconclusive', ['generator-late']],
  ] as const)('of which %s', async (_, oneIn, verdict, causes) => {
    const requests = studied('sliding log', { limit: 90 }).map((request, at) => ({
      ...request,
      intendedNs: (request.sentNs ?? 0) - (at % oneIn === 0 ? 150e6 : 1e6),
    }));
    const results = await judge({ run, requests });
    const limit = results.get('rate-limit.limit');
    expect(limit?.verdict).toBe(verdict);
    expect(limit?.reasons.some(({ code }) => code === 'study-generator-late')).toBe(verdict !== 'fail');
    const { causes: named } = diagnose([...results.values()].filter(({ id }) => id === limit?.id));
    expect(named.map(({ cause }) => cause.code)).toEqual(causes);
  });
});

describe('answers that wait in turn', () => {
  /** Sent within a second, and answered one in 60 ms. */
  const waiting = Array.from(
    { length: 300 },
    (_, at): SampleRequest => ({
      ...{
        endpoint: 'list-shades',
        stage: 'study',
        phase: 'limits: probe E',
        credential: 'load',
        status: 200,
      },
      sentNs: at * 3e6,
      answeredNs: (at + 1) * 60e6,
    }),
  );

  it.each([
    ['in time', 1e6, 'fail', ['requests-queued']],
    ['late', 150e6, 'inconclusive', ['generator-late']],
  ] as const)('are those of a queue where the program is %s', async (_, lagNs, verdict, causes) => {
    const requests = waiting.map((each) => ({ ...each, intendedNs: (each.sentNs ?? 0) - lagNs }));
    const patient = { ...profile, send_lag_bound: '60s' };
    const algorithm = (await judge({ run, requests, profile: patient })).get('rate-limit.algorithm');
    expect(algorithm?.verdict).toBe(verdict);
    expect(algorithm?.causes?.map(({ cause }) => cause.code)).toEqual(causes);
  });
});
