import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fits, type Suspect, shown } from '../../../src/checks/causes/cause.ts';
import type { CheckResult } from '../../../src/checks/core/verdict.ts';
import { diagnose } from '../../../src/checks/diagnosis/diagnose.ts';
import {
  reproductionOf,
  withReproductions,
} from '../../../src/checks/diagnosis/reproduction/reproduction.ts';
import type { CheckId } from '../../../src/vocabulary/check-ids.ts';
import { type SampleHistory, withHistory } from '../../history/sample.ts';

const opened = {
  endpoint: 'create-session',
  sessionId: 's 1',
  productId: "l'été",
  catalogId: 'c1',
  locale: 'fr-FR',
} as const;

const sample: SampleHistory = {
  requests: [
    opened,
    { endpoint: 'analytics', credential: 'load', productId: 'p1' },
    { endpoint: 'read-session', credential: 'bystander', sessionId: 's 1', status: 200 },
    { endpoint: 'interact', credential: 'session', sessionId: 's 1', items: 1, status: 202 },
    { endpoint: 'import-shades', credential: 'load', catalogId: 'c1', items: 501, status: 200 },
    { endpoint: 'list-shades', credential: 'none', catalogId: 'c1', status: 200 },
    {
      endpoint: 'list-shades',
      credential: 'load',
      catalogId: 'c1',
      probe: 'scope:forwarded',
      lost: 'timeout',
    },
  ],
  interactions: [
    { seq: 4, sessionId: 's 1', id: 'i1', type: 'shade_selected', sku: 'A', at: '2026-05-01T12:00:00.000Z' },
  ],
  answers: [
    {
      seq: 2,
      endpoint: 'analytics',
      query: { start_date: '2026-05-01', end_date: '2026-05-02', product_id: 'p1' },
      body: { total_sessions: 3 },
    },
  ],
};

function resultOf(id: CheckId, causes: readonly Suspect[]): CheckResult {
  const texts = { title: id, expected: '', observed: '', explanation: '' };
  return { id, ...texts, verdict: 'fail', reasons: [], evidence: [], causes };
}

const mean = { field: 'cart_intent_rate', returned: 0.5, expected: 0.25 };
/** One that a single answer shows, with what is due in it. */
const any: Suspect = shown('mean-wrong', mean);
/** One that a burst shows. */
const overLimit: Suspect = shown('window-extended-by-rejections', { windowMs: 60_000 });

function linesFor(seqs: readonly number[], { cause }: Suspect = any): Promise<readonly string[]> {
  return withHistory(sample, async (history) => (await reproductionOf(history, cause, seqs))?.lines ?? []);
}

const told = { field: 'channel.counts_against_rate_limit', told: 'false', found: 'true' };

describe('a reproduction', () => {
  it('of one wrong value is the query, and what came', async () => {
    expect(await linesFor([3, 2])).toEqual([
      'BASE_URL=http://127.0.0.1:1/v1',
      'KEY=…  # the load key',
      'curl -sS -i -H "Authorization: Bearer $KEY" "$BASE_URL/analytics/sessions?start_date=2026-05-01&end_date=2026-05-02&product_id=p1"',
      '# seq 2 got 200 {"total_sessions":3}',
    ]);
  });

  it.each<readonly [why: string, seqs: readonly number[], cause: Suspect]>([
    ['no request shows the cause', [], any],
    ['its answer has no value that is due', [2], shown('product-filter-ignored', { fields: ['top_shades'] })],
    [
      'it takes many answers: one POST shows no repeated id',
      [1],
      shown('session-id-reused', { sessions: 2 }),
    ],
    ['one request shows no limit', [6], shown('limit-shared-by-keys', {})],
    [
      'what is rare in times may not come again',
      [2],
      shown('target-stood-still', { forMs: 5_000, fromMs: 1 }),
    ],
    ['the quota key opened no session', [2], shown('check-then-increment', { over: 3, quota: 20 })],
    ['tryon itself is the cause', [2], shown('generator-late', { lagMs: 300 })],
  ])('is not offered where %s', async (_why, seqs, cause) => {
    expect(await linesFor(seqs, cause)).toEqual([]);
  });

  it.each([any, overLimit, shown('profile-false', told)])(
    'of $cause.code is understood by a shell',
    async (cause) => {
      const lines = (await linesFor([2], cause)).map((line) => line.replace('=…', '=k'));
      const checked = spawnSync('sh', ['-n'], { input: lines.join('\n'), encoding: 'utf8' });
      expect(lines.length).toBeGreaterThan(3);
      expect(checked.stderr).toBe('');
      expect(checked.status).toBe(0);
    },
  );

  it('of a limit that is not kept sends more requests at once than it allows, and again where that matters', async () => {
    const [, , condition, burst, pause, again, ...rest] = await linesFor([2], overLimit);
    expect(condition).toBe('sleep 60  # without requests on this key');
    expect(burst).toMatch(
      /^curl -sS -Z .*"\$BASE_URL\/shades\?catalog_id=c1#\[1-1200\]" \| sort \| uniq -c$/,
    );
    expect(pause).toBe('sleep 36');
    expect(rest).toEqual([
      pause,
      burst,
      '# A correct service answers 1,000 times 2xx in the first and in the last burst, then 429.',
    ]);
    expect(again).toBe(burst);
  });

  it('of an interaction that counts, though the profile denies it, goes past the limit by interactions', async () => {
    const lines = await linesFor([2], shown('profile-false', told));
    expect(lines.slice(2)).toEqual([
      'sleep 60  # without requests on this key',
      expect.stringMatching(/^GRANT=/),
      expect.stringMatching(/^SESSION=/),
      expect.stringMatching(/^TOKEN=/),
      expect.stringMatching(/^# Interactions count if fewer than 1,200 get 2xx/),
      expect.stringMatching(
        /^curl -sS -Z .*"\$BASE_URL\/sessions\/\$SESSION\/interactions#\[1-1200\]" \| sort \| uniq -c$/,
      ),
      expect.stringMatching(/^curl .*"\$BASE_URL\/shades\?catalog_id=c1"$/),
    ]);
  });

  it('opens a session as one was granted, not as a probe was refused one', async () => {
    const { cause } = shown('profile-false', told);
    const { sessionId: _, ...refused } = { ...opened, catalogId: 'unknown', status: 404 };
    const requests = [{ ...refused, probe: 'unknown:catalog:create-session' } as const, opened];
    const lines = await withHistory({ ...sample, requests }, (history) =>
      reproductionOf(history, cause, [1]),
    );
    expect(lines?.lines.join('\n')).toContain('"catalog_id":"c1"');
    expect(lines?.lines.join('\n')).not.toContain('unknown');
  });

  it('keeps ids from being commands', async () => {
    const catalogId = `$(touch x)\`id\`"; id; "'`;
    const requests = [{ ...opened, catalogId }];
    const { cause } = shown('profile-false', told);
    const lines = await withHistory({ ...sample, requests }, async (history) =>
      (await reproductionOf(history, cause, [1]))?.lines.filter((line) => /^(?:GRANT|curl)/.test(line)),
    );
    const script = lines
      ?.join('\n')
      .replaceAll(/curl -sS/g, `printf '%s\\n'`)
      .replace('GRANT=$(', '(');
    const echoed = spawnSync('sh', ['-c', script ?? ''], {
      encoding: 'utf8',
      env: { ...process.env, KEY: 'k', BASE_URL: 'http://b' },
    });
    expect(echoed.stdout).toContain(JSON.stringify(catalogId));
  });
});

const embedded = { kind: 'embedded', base_url: 'http://127.0.0.1:1/v1' } as const;

describe('what was planted in the embedded service', () => {
  const served = async (planted?: { defects: string[]; variants: string[] }): Promise<readonly string[]> => {
    const run = { target: embedded, ...(planted === undefined ? {} : { planted }) };
    return withHistory(
      { ...sample, run, profile: { quota: { sessions: 20 } } },
      async (history) => (await reproductionOf(history, overLimit.cause, [2]))?.lines ?? [],
    );
  };

  it('is in the command that starts it again', async () => {
    const lines = await served({ defects: ['Y6', 'Q3'], variants: ['slow'] });
    expect(lines).toContain(
      '# npx tryon serve --port 8080 --defect Y6 --defect Q3 --variant slow --rate-limit 1000/1m --plan quota=20',
    );
    expect(lines).toContain('BASE_URL=http://127.0.0.1:8080/v1');
  });

  it('has no data, so that no query of the run shows a wrong value of it', async () => {
    const run = { target: embedded };
    expect(await withHistory({ ...sample, run }, (h) => reproductionOf(h, any.cause, [2]))).toBeUndefined();
  });

  it('is left to the reader where an older run does not say', async () => {
    const [first, second] = await served();
    expect(first).toContain('with the --defect of the run, if any');
    expect(second).not.toContain('--defect');
  });

  it('is read by the reproduction alone', () => {
    const checks = join(import.meta.dirname, '../../../src/checks');
    const codeOf = (file: string): string =>
      readFileSync(join(checks, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '');
    const readers = readdirSync(checks, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && /\bplanted\b/.test(codeOf(file)),
    );
    expect(readers).toEqual([join('diagnosis', 'reproduction', 'curl.ts')]);
  });
});

describe('a reproduction', () => {
  it('has what is expected and what came, for the very value', async () => {
    const skus = Array.from({ length: 40 }, (_, at) => ({ sku: `SKU-${at}`, selections: 40 - at }));
    const wrong = fits('selections-counted-wrong', { sku: 'SKU-39', counted: 1, expected: 3 }, [2]);
    const failed = { ...wrong, seqs: [2] };
    const answers = [
      {
        ...sample.answers?.[0],
        seq: 2,
        endpoint: 'analytics' as const,
        query: {},
        body: { top_shades: skus },
      },
    ];
    const found = diagnose([resultOf('analytics.top-shades', [failed])]);
    const { causes } = await withHistory({ ...sample, answers }, (history) =>
      withReproductions(history, found, [{ id: 'analytics.top-shades', title: 'Selections are right' }]),
    );
    const lines = causes[0]?.reproduction?.lines ?? [];
    const text = lines.join('\n').replaceAll('\n#  ', '');
    expect(text).toMatch(/# seq 2 got 200 ….*"sku":"SKU-39", ?"selections":1/);
    expect(text).toContain('# Expected for SKU-39: 3. Got 1.');
    expect(text).toContain('# Got: Selections are counted wrong: SKU-39 has 1, expected 3.');
  });
});
