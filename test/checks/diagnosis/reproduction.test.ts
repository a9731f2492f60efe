import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fits, type Suspect, shown } from '../../../src/checks/causes/cause.ts';
import type { CheckResult } from '../../../src/checks/core/verdict.ts';
import { diagnose } from '../../../src/checks/diagnosis/diagnose.ts';
import { curlOf, type Sendable } from '../../../src/checks/diagnosis/reproduction/curl.ts';
import { folded } from '../../../src/checks/diagnosis/reproduction/folded.ts';
import {
  reproductionOf,
  withReproductions,
} from '../../../src/checks/diagnosis/reproduction/reproduction.ts';
import { judge } from '../../../src/checks/judge.ts';
import { verdictsJson } from '../../../src/checks/verdicts.ts';
import type { CheckId } from '../../../src/vocabulary/check-ids.ts';
import { type SampleHistory, withHistory } from '../../history/sample.ts';
import { richHistory } from '../../report/rich.ts';

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

const any: Suspect = shown('product-filter-ignored', { fields: ['top_shades'] });

function linesFor(seqs: readonly number[], { cause }: Suspect = any): Promise<readonly string[]> {
  return withHistory(sample, async (history) => (await reproductionOf(history, cause, seqs))?.lines ?? []);
}

const cases: readonly (readonly [
  what: string,
  seqs: readonly number[],
  lines: readonly (string | RegExp)[],
])[] = [
  [
    'analytics with its query, and what came',
    [2],
    [
      'BASE_URL=http://127.0.0.1:1/v1',
      'KEY=…  # the load key',
      'curl -sS -i -H "Authorization: Bearer $KEY" "$BASE_URL/analytics/sessions?start_date=2026-05-01&end_date=2026-05-02&product_id=p1"',
      '# seq 2 got 200 {"total_sessions":3}',
    ],
  ],
  [
    'a session that another key reads: it is opened first',
    [3],
    [
      /^BASE_URL/,
      'KEY=…  # the load key',
      'BYSTANDER_KEY=…  # the bystander key',
      /^GRANT=\$\(curl .*Bearer \$KEY.* -d '\{"product_id":"l'\\''été","catalog_id":"c1","locale":"fr-FR"\}' "\$BASE_URL\/sessions"\)$/,
      /^SESSION=/,
      /^TOKEN=/,
      'curl -sS -i -H "Authorization: Bearer $BYSTANDER_KEY" "$BASE_URL/sessions/$SESSION"',
      '# seq 3 got 200',
    ],
  ],
  [
    'an interaction with its body and the token',
    [4],
    [
      /^BASE_URL/,
      /^KEY=/,
      /^GRANT=/,
      /^SESSION=/,
      /^TOKEN=/,
      /Bearer \$TOKEN" .*-d '\{"interactions":\[\{"id":"i1","type":"shade_selected","sku":"A","at":".*"\}\]\}' "\$BASE_URL\/sessions\/\$SESSION\/interactions"$/,
      '# seq 4 got 202',
    ],
  ],
  [
    'an import of as many shades',
    [5],
    [/^BASE_URL/, /^KEY=/, /\[\$\(seq -s, .* 501\)\]\}"/, '# seq 5 got 200'],
  ],
  [
    'a request without a key',
    [6],
    [/^BASE_URL/, 'curl -sS -i "$BASE_URL/shades?catalog_id=c1"', '# seq 6 got 200'],
  ],
  [
    'a request with a forwarded address, and that it got no answer',
    [7],
    [/^BASE_URL/, /^KEY=/, /X-Forwarded-For: 203\.0\.113\.7/, '# seq 7 got no answer (timeout)'],
  ],
];

describe('a reproduction', () => {
  it.each(cases)('has %s', async (_what, seqs, expected) => {
    const lines = await linesFor(seqs);
    expect(lines).toHaveLength(expected.length);
    for (const [at, line] of expected.entries()) {
      if (typeof line === 'string') expect(lines[at]).toBe(line);
      else expect(lines[at]).toMatch(line);
    }
  });

  it.each(cases)('of %s is understood by a shell', async (_what, seqs) => {
    const lines = (await linesFor(seqs)).map((line) => line.replace('=…', '=k'));
    const checked = spawnSync('sh', ['-n'], { input: lines.join('\n'), encoding: 'utf8' });
    expect(checked.stderr).toBe('');
    expect(checked.status).toBe(0);
  });

  it('of a limit that is not kept sends more requests at once than it allows, and again where that matters', async () => {
    const extended = shown('window-extended-by-rejections', { windowMs: 60_000 });
    const [, , condition, burst, pause, again, ...rest] = await linesFor([2], extended);
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

  it('of a quota is absent where the quota key opened no session', async () => {
    expect(await linesFor([2], shown('check-then-increment', { over: 3, quota: 20 }))).toEqual([]);
  });

  it('is absent where no request shows the cause', async () => {
    expect(await linesFor([])).toEqual([]);
  });

  it('of an interaction that counts, though the profile denies it, goes past the limit by interactions', async () => {
    const told = { field: 'channel.counts_against_rate_limit', told: 'false', found: 'true' };
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
    const told = { field: 'channel.counts_against_rate_limit', told: 'false', found: 'true' };
    const { cause } = shown('profile-false', told);
    const { sessionId: _, ...refused } = { ...opened, catalogId: 'unknown', status: 404 };
    const requests = [{ ...refused, probe: 'unknown:catalog:create-session' } as const, opened];
    const lines = await withHistory({ ...sample, requests }, (history) =>
      reproductionOf(history, cause, [1]),
    );
    expect(lines?.lines.join('\n')).toContain('"catalog_id":"c1"');
    expect(lines?.lines.join('\n')).not.toContain('unknown');
  });

  it('of slow answers sends the request again and again, and compares the times', async () => {
    const lines = await linesFor([6, 2], shown('target-stood-still', { forMs: 5_000, fromMs: 100 }));
    expect(lines.slice(2)).toEqual([
      expect.stringMatching(/^# The three longest times/),
      expect.stringMatching(
        /^curl -sS -Z .*-max 4 .*%\{time_total\}.*analytics.*#\[1-100\]" \| sort -n \| tail -n 3$/,
      ),
      expect.stringMatching(/^# seq 2 took /),
    ]);
  });

  it('sends a cart intent without a SKU again as one', async () => {
    const intent = {
      seq: 4,
      sessionId: 's 1',
      id: 'i1',
      type: 'cart_intent',
      sku: '',
      at: '2026-05-01T12:00:00.000Z',
    } as const;
    const lines = await withHistory({ ...sample, interactions: [intent] }, async (history) =>
      (await reproductionOf(history, any.cause, [4]))?.lines.join('\n'),
    );
    expect(lines).toContain(
      '-d \'{"interactions":[{"id":"i1","type":"cart_intent","at":"2026-05-01T12:00:00.000Z"}]}\'',
    );
  });

  it('of what tryon itself did is absent', async () => {
    expect(await linesFor([2], shown('generator-late', { lagMs: 300 }))).toEqual([]);
  });

  it.each(["it's", 'a\0b', "'; DROP TABLE requests; --"])(
    'opens session %j again: ids are no SQL',
    async (id) => {
      const read = { endpoint: 'read-session', credential: 'bystander', sessionId: id, status: 200 } as const;
      const requests = [opened, { ...opened, productId: 'p2', sessionId: id }, read];
      const lines = await withHistory({ ...sample, requests }, (history) =>
        reproductionOf(history, any.cause, [3]),
      );
      expect(lines?.lines.join('\n')).toContain('"product_id":"p2"');
    },
  );

  it('keeps ids from being commands', () => {
    const request: Sendable = {
      endpoint: 'import-shades',
      credential: 'load',
      probe: null,
      session_id: null,
      product_id: null,
      catalog_id: '$(touch x)`id`"; id; "',
      locale: null,
      items: 1,
      query: {},
      interactions: [],
      channelPath: '',
    };
    const echoed = spawnSync('sh', ['-c', curlOf(request).replace(/^curl -sS -i/, `printf '%s\\n'`)], {
      encoding: 'utf8',
      env: { ...process.env, KEY: 'k', BASE_URL: 'http://b' },
    }).stdout;
    expect(echoed).toContain('$(touch x)`id`\\"; id; \\"');
  });
});

const embedded = { kind: 'embedded', base_url: 'http://127.0.0.1:1/v1' } as const;

describe('what was planted in the embedded service', () => {
  const served = async (planted?: { defects: string[]; variants: string[] }): Promise<readonly string[]> => {
    const run = { target: embedded, ...(planted === undefined ? {} : { planted }) };
    return withHistory(
      { ...sample, run, profile: { quota: { sessions: 20 } } },
      async (history) => (await reproductionOf(history, any.cause, [2]))?.lines ?? [],
    );
  };

  it('is in the command that starts it again', async () => {
    const lines = await served({ defects: ['Y6', 'Q3'], variants: ['slow'] });
    expect(lines).toContain(
      '# npx tryon serve --port 8080 --defect Y6 --defect Q3 --variant slow --rate-limit 1000/60s --plan quota=20',
    );
    expect(lines).toContain('BASE_URL=http://127.0.0.1:8080/v1');
  });

  it('has no data: a reproduction makes the sessions that analytics are to count', async () => {
    const lines = await served({ defects: ['Y6'], variants: [] });
    expect(lines.filter((line) => line.startsWith('curl') && line.includes('/analytics'))).toHaveLength(4);
    expect(lines.findIndex((line) => line.startsWith('EVENTS='))).toBeGreaterThan(0);
    expect(lines).toContainEqual(expect.stringMatching(/^# In the run, seq 2 \(start_date=.*\) got 200/));
    expect(spawnSync('sh', ['-n'], { input: lines.join('\n'), encoding: 'utf8' }).stderr).toBe('');
  });

  it('has no catalog: a reproduction imports what its requests need', async () => {
    const shades = ['A', 'B'].map((sku) => ({ catalogId: 'c1', productId: 'p', productName: 'P', sku }));
    const catalog = shades.map((shade) => ({ ...shade, name: 'Fané', hex: '#BE7171', finish: 'matte' }));
    const lines = await withHistory(
      { ...sample, catalog, run: { target: embedded } },
      async (history) =>
        (await reproductionOf(history, shown('interactions-lost', { interactions: 1 }).cause, [4]))?.lines ??
        [],
    );
    const [imported, grant] = lines.filter((line) => /^(?:curl|GRANT)/.test(line));
    expect(imported).toMatch(/"catalog_id":"c1","shades":\[\{"sku":"A","name":"Fané".*"\$BASE_URL\/shades"$/);
    expect(grant).toMatch(/^GRANT=/);
  });

  it('is left to the reader where an older run does not say', async () => {
    const [first, second] = await served();
    expect(first).toContain('with the --defect of the run, if any');
    expect(second).not.toContain('--defect');
  });

  it('changes no verdict', async () => {
    const verdicts = (planted: object): Promise<unknown> => {
      const sample = richHistory();
      const run = { ...sample.run, target: embedded, ...planted };
      return withHistory({ ...sample, run }, async (history) => {
        const { diagnosis, ...rest } = await verdictsJson(history, await judge(history));
        return { ...rest, diagnosis: diagnosis.map((each) => ({ ...each, reproduction: null })) };
      });
    };
    const planted = { defects: ['Y6', 'R3'], variants: ['slow'] };
    expect(await verdicts({ planted })).toEqual(await verdicts({}));
  });

  it('is read by the reproduction alone', () => {
    const checks = join(import.meta.dirname, '../../../src/checks');
    const codeOf = (file: string): string =>
      readFileSync(join(checks, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '');
    const readers = readdirSync(checks, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && /\bplanted\b/.test(codeOf(file)),
    );
    expect(readers).toEqual([join('diagnosis', 'reproduction', 'shell-settings.ts')]);
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

  it('of a rate limit is a burst, or none: one request shows no limit', async () => {
    expect(await linesFor([6], shown('limit-shared-by-keys', {}))).toEqual([]);
  });
});

describe('a line of a shell', () => {
  const url = '"$BASE_URL/analytics/sessions?start_date=2026-05-01&end_date=2026-05-02"';

  it.each([
    ['is left as it is up to 80 columns', `curl -sS -i ${'x'.repeat(68)}`, [`curl -sS -i ${'x'.repeat(68)}`]],
    [
      'goes on in the next one before an option or the URL',
      `curl -sS -i -H "Authorization: Bearer $KEY" ${url}`,
      ['curl -sS -i -H "Authorization: Bearer $KEY" \\', `  ${url}`],
    ],
    [
      'that is a comment with a command is left as it is',
      `# npx tryon serve ${'--defect Y6 '.repeat(8)}`,
      [`# npx tryon serve ${'--defect Y6 '.repeat(8)}`],
    ],
    [
      'is not broken within quotes',
      `curl -d '{"catalog_id":"a -d b | c"}' -d "it's \\" -d not ${'x'.repeat(40)}" -H x`,
      [`curl -d '{"catalog_id":"a -d b | c"}' \\`, `  -d "it's \\" -d not ${'x'.repeat(40)}" -H x`],
    ],
    [
      'that is a comment goes on after a space or a comma',
      `# seq 2 got 200 {"period":"2026-05-01 / 2026-05-02","total_sessions":7,"cart_intent_rate":0.14}`,
      [
        '# seq 2 got 200 {"period":"2026-05-01 / 2026-05-02","total_sessions":7,',
        '#   "cart_intent_rate":0.14}',
      ],
    ],
  ])('%s', (_, line, lines) => {
    expect(folded(line)).toEqual(lines);
  });
});
