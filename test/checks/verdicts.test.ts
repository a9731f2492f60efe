import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { judge } from '../../src/checks/judge.ts';
import { type VerdictsJson, verdictsJson } from '../../src/checks/verdicts.ts';
import { checkGroups } from '../../src/vocabulary/check-ids.ts';
import { type SampleHistory, withHistory } from '../history/sample.ts';
import { limitsHistory } from '../report/limits-sample.ts';

const schemaFile = new URL('../../docs/verdicts.schema.json', import.meta.url);
const schema: unknown = JSON.parse(await readFile(schemaFile, 'utf8'));
const validate = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true }).compile(
  schema as Record<string, unknown>,
);

async function published(sample: SampleHistory): Promise<VerdictsJson> {
  const verdicts = await withHistory(sample, async (history) => verdictsJson(history, await judge(history)));
  return JSON.parse(JSON.stringify(verdicts)) as VerdictsJson;
}

const run = {
  checks: [...checkGroups],
  slo: [{ endpoint: '*', percentile: 50, max_ms: 10 }],
  quota_attempts: 3,
  keys: { quota: { from: 'env Q', fingerprint: '00000000' } },
} satisfies SampleHistory['run'];

const studied = {
  studies: [{ kind: 'limits', budget_ms: 1 }],
  checks: ['rate-limit'],
} satisfies SampleHistory['run'];

describe('verdicts.json', () => {
  it.each<[string, SampleHistory]>([
    ['of an empty run', { run }],
    [
      'of a run with answers, refusals and losses',
      {
        run: {
          ...run,
          planned_requests: 4,
          ended: { at_epoch_ms: 0, how: 'cap', detail: '--max-requests' },
        },
        requests: [
          {
            endpoint: 'create-session',
            planned: 0,
            catalogId: 'c',
            count: 3,
            expiresAt: '2026-05-02T12:00:00Z',
          },
          { endpoint: 'create-session', planned: 1, status: 500, problem: 'body: "é"' },
          { endpoint: 'create-session', planned: 2, credential: 'quota', status: 402 },
          { endpoint: 'interact', planned: 3, items: 2, lost: 'timeout' },
        ],
        catalog: [
          {
            catalogId: 'c',
            productId: 'p',
            productName: 'P',
            sku: 'A',
            name: 'A',
            hex: '#000000',
            finish: 'matte',
          },
        ],
        events: [
          {
            kind: 'self',
            atNs: 1e6,
            loopDelayMaxMs: 9000,
            gcMs: 0,
            cpuMs: 0,
            inFlight: 0,
            sendLagMaxMs: 0,
          },
        ],
      },
    ],
    ['of a study of the limiter', limitsHistory()],
    [
      'of a study of the limiter that was refused nothing',
      {
        run: studied,
        requests: Array.from({ length: 50 }, () => ({ endpoint: 'list-shades', stage: 'study' })),
      },
    ],
    ['of a study that sent nothing', { run: studied }],
  ])('%s keeps to its published schema', async (_, sample) => {
    const verdicts = await published(sample);
    validate(verdicts);
    expect(validate.errors).toBeNull();
  });

  it('holds what a study of the limiter found out, and is without it for other runs', async () => {
    const { limiter } = await published(limitsHistory());
    expect(limiter).toMatchObject({
      algorithm: 'sliding-log',
      limit: 100,
      rejects_count: false,
      scope: { per_key: true, per_address: false, per_endpoint: false, unauthenticated_counted: false },
    });
    expect(limiter?.refuted.length).toBeGreaterThan(10);
    expect(await published({})).not.toHaveProperty('limiter');
  });

  it('says which run it is about', async () => {
    expect((await published({})).run).toEqual({
      id: 'sample',
      scenario: 'sample',
      seed: 1,
      started_at: '2026-05-01T12:00:00.000Z',
      ended: 'completed',
      target: { kind: 'foreign', base_url: 'http://127.0.0.1:1/v1' },
      checks: ['contract', 'rate-limit', 'quota', 'analytics', 'latency'],
      generator_bound: false,
    });
  });
});

describe('the schema', () => {
  it.each<[string, (verdicts: Record<string, unknown>) => Record<string, unknown>]>([
    ['another verdict', (verdicts) => ({ ...verdicts, verdict: 'maybe' })],
    ['a version of the future', (verdicts) => ({ ...verdicts, schema_version: 3 })],
    ['a field that is not described', (verdicts) => ({ ...verdicts, secret: 1 })],
    ['a check without evidence', (verdicts) => ({ ...verdicts, checks: [{ id: 'books.sent', title: 'x' }] })],
    [
      'a check of no group',
      ({ checks, ...verdicts }) => ({
        ...verdicts,
        checks: (checks as object[]).map((check) => ({ ...check, id: 'x.y' })),
      }),
    ],
    ['no checks', (verdicts) => ({ ...verdicts, checks: [] })],
    ['a limiter without a confidence', (verdicts) => ({ ...verdicts, limiter: { algorithm: 'none' } })],
  ])('does not allow %s', async (_, change) => {
    const verdicts: Record<string, unknown> = { ...(await published({})) };
    expect(validate(change(verdicts))).toBe(false);
  });
});
