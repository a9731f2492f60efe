import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ProfileInput } from '../../src/target/profile.ts';
import { type ForeignChoices, type ForeignService, startForeignService } from './foreign-service.ts';
import {
  atEnd,
  atMost,
  type Ended,
  leaks,
  overBudget,
  patient,
  readVerdicts,
  scaledLaunch,
  temporaryFolder,
  troubles,
  tryon,
} from './program.ts';

const fixture = (name: string): URL => new URL(`./fixtures/${name}`, import.meta.url);
const certificate = await readFile(fixture('self-signed.cert.pem'), 'utf8');
const tls = { key: await readFile(fixture('self-signed.key.pem'), 'utf8'), cert: certificate };

/** Ids may hold any character, and be long. */
const oddId = (count: number): string => `é/ü %+?#&"'<>,;=\\ ${count} ${'x'.repeat(200)}`;

interface Variant {
  readonly choices: ForeignChoices;
  readonly profile?: ProfileInput;
}

const gate = atMost(4);

async function launchAgainst(
  { choices, profile = {} }: Variant,
  roles: readonly string[] = ['load', 'quota', 'bystander'],
): Promise<{
  readonly out: string;
  readonly ended: Ended;
  readonly service: ForeignService;
}> {
  const service = await startForeignService(choices);
  atEnd(() => service.close());
  const folder = temporaryFolder();
  const out = join(folder, 'run');
  const profileFile = join(folder, 'profile.json');
  writeFileSync(profileFile, JSON.stringify({ ...patient, ...profile }));
  const ended = await gate(() =>
    tryon(
      [
        ...['run', scaledLaunch, '--target', service.baseUrl, '--profile', profileFile, '--out', out],
        ...roles.flatMap((role) => ['--key', `${role}=${role.toUpperCase()}`]),
      ],
      { env: { LOAD: service.keys.load, QUOTA: service.keys.quota, BYSTANDER: service.keys.bystander } },
    ),
  );
  return { out, ended, service };
}

const variants: readonly [sentence: string, variant: Variant][] = [
  ['is plain and answers as briefly as the interface allows', { choices: {} }],
  [
    'wraps shades in {"shades": []}, answers 201 to an import, errors with text, and names its limits X-RateLimit',
    { choices: { shades: 'shades', importStatus: 201, errorBody: 'text', limitHeaders: 'x-ratelimit' } },
  ],
  [
    'wraps shades in {"items": []}, answers 202 to an import with nothing, and errors with nothing',
    { choices: { shades: 'items', importStatus: 202, importBody: 'empty', errorBody: 'empty' } },
  ],
  [
    'errors with HTML, and has the headers of draft 10',
    { choices: { errorBody: 'html', limitHeaders: 'draft-10' } },
  ],
  ['has fields of its own in every object', { choices: { extraFields: true, shades: 'shades' } }],
  [
    'gives sessions ids of 200 characters with slashes, quotes, accents and spaces',
    { choices: { sessionId: oddId } },
  ],
  ['limits with a token bucket', { choices: { limiter: 'token-bucket' } }],
  ['limits with a window fixed to the wall clock', { choices: { limiter: 'fixed-window' } }],
  ['limits with a sliding counter', { choices: { limiter: 'sliding-counter' } }],
  [
    'orders ties in top_shades backwards, lists 25 of them, and gives averages with all their digits',
    { choices: { ties: 'sku-descending', topShades: 25, decimals: undefined } },
  ],
  [
    'orders ties as they came, lists 3 shades, counts repeated selections and rounds to 2 decimals',
    { choices: { ties: 'first-selected', topShades: 3, decimals: 2, average: 'selections' } },
  ],
  [
    'shows in analytics what happened until 2 s ago, within the freshness of its profile',
    {
      choices: { analyticsLagMs: 2_000 },
      profile: { analytics: { freshness: '3s', exclusive: true } },
    },
  ],
  [
    'calls the fields of a history by other names, which its profile gives',
    {
      choices: { history: { list: 'events', id: 'uuid', type: 'kind', sku: 'shade', at: 'when' } },
      profile: { session_history: { list: 'events', id: 'uuid', type: 'kind', sku: 'shade', at: 'when' } },
    },
  ],
  ['has a clock that is 400 ms fast', { choices: { clockOffsetMs: 400 } }],
  ['has a clock that is 400 ms slow', { choices: { clockOffsetMs: -400 } }],
  [
    'speaks TLS with a certificate of an authority that the profile names',
    {
      choices: { tls },
      profile: { tls: { ca_file: fixture('self-signed.cert.pem').pathname } },
    },
  ],
  [
    'speaks TLS with a certificate that the profile says not to look at',
    { choices: { tls }, profile: { tls: { reject_unauthorized: false } } },
  ],
  ['closes the connection after every answer', { choices: { keepAlive: false } }],
  ['takes 40 ms for every answer, which its SLO allows', { choices: { delayMs: 40 } }],
];

describe.concurrent('an honest foreign service passes launch when it', () => {
  it.each(variants)('%s', { timeout: 240_000 }, async (_sentence, variant) => {
    const { ended, out, service } = await launchAgainst(variant);
    expect(troubles(readVerdicts(out)), ended.stdout + ended.stderr).toEqual([]);
    expect(ended.code).toBe(0);
    expect(leaks(out, ended, service.secrets())).toEqual([]);
    expect(await overBudget(out)).toEqual([]);
  });
});

describe.concurrent('where there is nothing to go by', () => {
  it('with the load key alone nothing fails, and what needs another key is inconclusive and says so', {
    timeout: 240_000,
  }, async () => {
    const { ended, out } = await launchAgainst({ choices: {} }, ['load']);
    const notPassed = readVerdicts(out).checks.filter(({ verdict }) => verdict !== 'pass');
    expect(notPassed.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    const wanting = notPassed.filter(({ id }) => !id.startsWith('quota.') && id !== 'rate-limit.isolation');
    expect(wanting, ended.stdout).toEqual([]);
    expect(notPassed.map(({ id }) => id)).toContain('rate-limit.isolation');
    for (const { explanation, id } of notPassed)
      expect(explanation, id).toMatch(
        id.startsWith('quota.') ? /\bquota\b.*\bkey\b|\bkey\b.*\bquota\b/ : /bystander/,
      );
    expect(ended.code).toBe(3);
  });

  it('without an interaction channel nothing fails, and only what shoppers do is inconclusive', {
    timeout: 240_000,
  }, async () => {
    const { ended, out, service } = await launchAgainst({ choices: { channel: false } });
    const { checks } = readVerdicts(out);
    const notPassed = checks.filter(({ verdict }) => verdict !== 'pass');
    expect(notPassed.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    expect([...new Set(notPassed.map(({ id }) => id.split('.')[0]))], ended.stdout).toEqual(['analytics']);
    expect(notPassed.map(({ explanation }) => explanation).join(' ')).toMatch(/channel/);
    expect(ended.code).toBe(3);
    expect(leaks(out, ended, service.secrets())).toEqual([]);
    expect(await overBudget(out)).toEqual([]);
  });
});
