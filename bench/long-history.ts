import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addColumnarCopy } from '../src/history/columnar.ts';
import type { RequestRecord } from '../src/history/record.ts';
import type { RunInfo } from '../src/history/run.ts';
import { runDigest } from '../src/history/run.ts';
import { HistoryWriter } from '../src/history/writer.ts';
import { whole } from '../src/plan/lanes.ts';
import { profileSchema } from '../src/target/profile.ts';

const perJourney = 5;
const everyNs = 1e6;
const perMinute = 60_000;
const zeroEpochMs = Date.UTC(2026, 4, 1);

/**
 * Writes the history of a run of `requests` requests, with the writer of every run: journeys at 1,000 requests a
 * second. `shard`: only the journeys of one of several programs.
 */
export async function writeLongHistory(runDir: string, requests: number, shard = whole): Promise<void> {
  await mkdir(runDir, { recursive: true });
  const writer = await HistoryWriter.create(runDir);
  let written = 0;
  for (let n = 0; n < requests; n++) {
    if (Math.floor(n / perJourney) % shard.of !== shard.index) continue;
    writer.request(requestAt(n));
    const step = n % perJourney;
    if (step > 0 && step < perJourney - 1) {
      writer.interaction({
        seq: n + 1,
        sessionId: sessionOf(n),
        id: `5eed0001-0000-4000-8000-${n.toString(16).padStart(12, '0')}`,
        type: step === 3 ? 'cart_intent' : 'shade_selected',
        sku: `SLN-ES${n % 12}-${n % 24}-5eed0001`,
        at: new Date(zeroEpochMs + (n * everyNs) / 1e6).toISOString(),
      });
    }
    if (++written % 20_000 === 0) await writer.flush();
  }
  const isPart = shard.of > 1;
  const run: RunInfo = {
    schema_version: 1,
    id: '5eed0001',
    scenario: { name: 'long', title: 'A long run' },
    seed: 1,
    zero_epoch_ms: zeroEpochMs,
    target: { kind: 'foreign', base_url: 'http://127.0.0.1:1/v1' },
    profile: { ...profileSchema.parse({ rate_limit: '1000000/1m' }) },
    keys: { load: { from: 'bench', fingerprint: '5eed0001' } },
    checks: ['contract', 'rate-limit', 'quota', 'analytics', 'latency'],
    slo: [{ endpoint: 'create-session', percentile: 99, max_ms: 50 }],
    phases: [],
    planned_requests: requests,
    quota_attempts: 0,
    catalogs: [],
    products: [],
    budget: [],
    minutes: requests / 60_000,
    versions: {},
    machine: { platform: 'linux', cpus: 2, memory_gib: 4 },
    ended: {
      at_epoch_ms: zeroEpochMs + requests,
      how: 'completed',
      ...(isPart ? { clock_error_ns: 0 } : {}),
    },
    ...(isPart ? { shard: { index: shard.index + 1, of: shard.of, plan: 'bench' } } : {}),
  };
  await writeFile(join(runDir, 'run.json'), JSON.stringify(run));
  await writer.close(runDigest(run));
  if (!isPart) await addColumnarCopy(runDir, 1);
}

function sessionOf(n: number): string {
  return `ts_${Math.floor(n / perJourney)
    .toString(36)
    .padStart(20, '0')}`;
}

function requestAt(n: number): RequestRecord {
  const step = n % perJourney;
  const isOpening = step === 0;
  const isReading = step === perJourney - 1;
  const atNs = n * everyNs;
  return {
    seq: n + 1,
    stage: 'load',
    phase: 'long',
    planned: n,
    credential: isOpening || isReading ? 'load' : 'session',
    endpoint: isOpening ? 'create-session' : isReading ? 'read-session' : 'interact',
    shopper: Math.floor(n / perJourney),
    intendedNs: atNs,
    readyNs: atNs,
    sentNs: atNs + 20_000,
    // A few milliseconds, now and then many.
    answeredNs: atNs + 2e6 + ((n * 2_654_435_761) % 4_093) ** 2,
    status: isOpening || isReading ? 200 : 202,
    sessionId: sessionOf(n),
    ...(isOpening
      ? {
          productId: `product-${n % 12}`,
          catalogId: 'catalog-5eed0001',
          locale: 'en-GB',
          count: 24,
          expiresAt: '2026-05-01T12:30:00.000Z',
        }
      : {}),
    ...(isOpening || isReading ? {} : { items: 1, count: 1 }),
    bytes: 120,
    serverDateMs: Math.floor((zeroEpochMs + atNs / 1e6) / 1e3) * 1e3,
    ...(isOpening || isReading ? { limitHeaders: limitHeadersAt(n) } : {}),
  };
}

/** Of a limiter that counts in whole minutes, which two requests of a journey spend. */
function limitHeadersAt(n: number): string {
  const inMinute = n % perMinute;
  const spent = Math.floor(inMinute / perJourney) * 2 + (n % perJourney === 0 ? 1 : 2);
  const resetSeconds = Math.ceil(((perMinute - inMinute) * everyNs) / 1e9);
  return `ratelimit-limit: 1000000 | ratelimit-remaining: ${1_000_000 - spent} | ratelimit-reset: ${resetSeconds}`;
}
