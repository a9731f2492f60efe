import { type ProbeKind, probeSchedule, probeWindows } from '../../src/limits/probes.ts';
import { randomStream } from '../../src/random.ts';
import { studyPhases } from '../../src/vocabulary/phases.ts';
import { type ScopeProbe, scopeProbes } from '../../src/vocabulary/probes.ts';
import type { Endpoint } from '../../src/vocabulary/requests.ts';
import type { SampleHistory, SampleRequest } from '../history/sample.ts';

/** What a study found: a sliding window for each key, played in virtual time. Seeded, so every one is the same to the byte. */
const windowMs = 6_000;

/** Milliseconds each way. */
const wayMs = 1;

const endpoints: Partial<Record<ScopeProbe, Endpoint>> = {
  'scope:read-session': 'read-session',
  'scope:analytics': 'analytics',
  'scope:create-session': 'create-session',
  'scope:import-shades': 'import-shades',
  'scope:unknown-session': 'read-session',
  'scope:unknown-catalog': 'create-session',
};

/** A limiter for one key: undefined lets pass, otherwise the seconds until a place is free. */
function slidingWindow(limit: number): (ms: number) => number | undefined {
  const passed: number[] = [];
  return (ms) => {
    while ((passed[0] ?? ms) <= ms - windowMs) passed.shift();
    if (passed.length >= limit) return Math.ceil(((passed[0] ?? ms) + windowMs - ms) / 1e3);
    passed.push(ms);
    return undefined;
  };
}

/**
 * The history of a limits study of `limit` per 6 s: bursts and volleys at the limit, waits, then probes E and B. The
 * larger the limit, the more requests: about 13 times as many.
 */
export function limitsHistory(limit = 100): SampleHistory {
  const random = randomStream(11, 'limits sample');
  const limiters = { load: slidingWindow(limit), bystander: slidingWindow(limit) };
  const requests: SampleRequest[] = [];
  const send = (atMs: number, request: SampleRequest): SampleRequest => {
    const sentNs = Math.round(atMs * 1e6);
    const { credential = 'load' } = request;
    const isKeyed = credential === 'load' || credential === 'bystander';
    const retryS = isKeyed ? limiters[credential](atMs + wayMs) : undefined;
    const own = request.status ?? (isKeyed ? 200 : 401);
    const sent: SampleRequest = {
      stage: 'study',
      intendedNs: sentNs,
      sentNs,
      answeredNs: sentNs + 2e6 * wayMs,
      ...request,
      status: retryS === undefined ? own : 429,
      ...(retryS === undefined ? {} : { retryAfter: String(retryS) }),
    };
    requests.push(sent);
    return sent;
  };
  let nowMs = 500;
  const volley = (all: readonly SampleRequest[]): void => {
    // Of one volley: all at the same intended instant, and each a little after the one before.
    all.forEach((request, k) => {
      send(nowMs + k * 0.05, { ...request, intendedNs: nowMs * 1e6 });
    });
    nowMs += all.length * 0.05 + 10;
  };
  const control: SampleRequest = {
    endpoint: 'list-shades',
    phase: studyPhases.scope,
    probe: 'scope:control',
  };
  volley(Array.from({ length: 1.2 * limit }, () => control));
  for (const probe of scopeProbes) {
    const tried: SampleRequest = {
      endpoint: endpoints[probe] ?? 'list-shades',
      phase: studyPhases.scope,
      probe,
      ...(probe === 'scope:other-key' ? { credential: 'bystander' } : {}),
      ...(probe === 'scope:bad-key' ? { credential: 'bad' } : {}),
      ...(probe === 'scope:no-key' ? { credential: 'none' } : {}),
      ...(probe.startsWith('scope:unknown') ? { status: 404 } : {}),
    };
    volley(Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? control : tried)));
  }
  volley(
    Array.from({ length: 1.2 * limit }, () => ({
      endpoint: 'list-shades',
      phase: studyPhases.unauthenticated,
      credential: 'bad',
      probe: 'flood:bad-key',
    })),
  );
  const waits: SampleRequest = { endpoint: 'list-shades', phase: studyPhases.waits };
  const advised = send(nowMs, waits).retryAfter;
  const untilMs = nowMs + Number(advised) * 1e3;
  send(untilMs - 1_050, { ...waits, probe: 'wait:early' });
  send(untilMs + 30, { ...waits, probe: 'wait:full' });
  nowMs = untilMs + 1.4 * windowMs;

  const probe = (kind: ProbeKind, credential: 'load' | 'bystander'): [number, () => void][] =>
    probeSchedule(kind, { limit, windowMs }, random).map(({ atMs }) => {
      const at = nowMs + atMs;
      const phase = `${studyPhases.probe} ${kind}`;
      return [at, () => send(at, { endpoint: 'list-shades', phase, credential })];
    });
  const sends = [...probe('E', 'load'), ...probe('B', 'bystander')].toSorted(([a], [b]) => a - b);
  for (const [, go] of sends) go();
  const endMs = nowMs + probeWindows.B * windowMs;
  return {
    run: {
      target: { kind: 'embedded', base_url: 'http://127.0.0.1:40123/v1' },
      scenario: { name: 'limits', title: 'What kind of limiter it is' },
      studies: [{ kind: 'limits', budget_ms: Math.ceil(endMs) }],
      checks: ['rate-limit'],
    },
    profile: { rate_limit: `${limit}/6s`, limiter: 'sliding-log', limit_scope: 'per-key' },
    requests,
  };
}
