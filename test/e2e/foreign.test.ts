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
  profileArguments,
  readVerdicts,
  scaledLaunch,
  temporaryFolder,
  troubles,
  tryon,
  wasLate,
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

const gate = atMost(3);

interface Launched {
  readonly out: string;
  readonly ended: Ended;
  readonly service: ForeignService;
}

/** A launch that failed nothing and was late says that the machine had other things to do: it is made again, twice at most. */
async function launchAgainst(
  variant: Variant,
  roles: readonly string[] = ['load', 'quota', 'bystander'],
): Promise<Launched> {
  for (let tries = 1; ; tries++) {
    const launched = await launchOnce(variant, roles);
    if (launched.ended.code !== 3 || tries === 3 || !wasLate(readVerdicts(launched.out))) return launched;
  }
}

async function launchOnce({ choices, profile = {} }: Variant, roles: readonly string[]): Promise<Launched> {
  const service = await startForeignService(choices);
  atEnd(() => service.close());
  const out = join(temporaryFolder(), 'run');
  const ended = await gate(() =>
    tryon(
      [
        ...['run', scaledLaunch, '--target', service.baseUrl, '--out', out],
        ...profileArguments({ ...patient, ...profile }),
        ...roles.flatMap((role) => ['--key', `${role}=${role.toUpperCase()}`]),
      ],
      { env: { LOAD: service.keys.load, QUOTA: service.keys.quota, BYSTANDER: service.keys.bystander } },
    ),
  );
  return { out, ended, service };
}

const variants: readonly [sentence: string, variant: Variant][] = [
  ['is plain, and answers as briefly as the interface allows', { choices: {} }],
  [
    'wraps shades in {"shades": []}, answers 201 to an import, errors with text, names its limits X-RateLimit, and has a clock 400 ms fast',
    {
      choices: {
        shades: 'shades',
        importStatus: 201,
        errorBody: 'text',
        limitHeaders: 'x-ratelimit',
        clockOffsetMs: 400,
      },
    },
  ],
  [
    'wraps shades in {"items": []}, answers 202 to an import with nothing, errors with nothing, and limits with a token bucket',
    {
      choices: {
        shades: 'items',
        importStatus: 202,
        importBody: 'empty',
        errorBody: 'empty',
        limiter: 'token-bucket',
      },
      profile: { channel: { path: '/sessions/{session_id}/interactions', auth: 'session-token' } },
    },
  ],
  [
    'errors with HTML, has the headers of draft 10, limits by a window fixed to the wall clock, which interactions spend, too, and has a clock 400 ms slow',
    {
      choices: {
        errorBody: 'html',
        limitHeaders: 'draft-10',
        limiter: 'fixed-window',
        interactionsCount: true,
        clockOffsetMs: -400,
      },
    },
  ],
  [
    'has fields of its own in every object, and session ids of 200 characters with slashes, quotes, accents and spaces',
    { choices: { extraFields: true, shades: 'shades', sessionId: oddId } },
  ],
  [
    'limits with a sliding counter, orders ties in top_shades backwards, lists 25 of them, and gives averages with all their digits',
    {
      choices: { limiter: 'sliding-counter', ties: 'sku-descending', topShades: 25, decimals: undefined },
    },
  ],
  [
    'orders ties as they came, lists 3 shades, counts repeated selections, rounds to 2 decimals, and takes 40 ms for every answer',
    {
      choices: { ties: 'first-selected', topShades: 3, decimals: 2, average: 'selections', delayMs: 40 },
    },
  ],
  [
    'shows in analytics what happened until 2 s ago, within the freshness of its profile',
    {
      choices: { analyticsLagMs: 2_000 },
      profile: { analytics: { freshness: '3s', exclusive: true } },
    },
  ],
  [
    'calls the fields of a history by other names, which its profile gives, and closes the connection after every answer',
    {
      choices: {
        history: { list: 'events', id: 'uuid', type: 'kind', sku: 'shade', at: 'when' },
        keepAlive: false,
      },
      profile: { session_history: { list: 'events', id: 'uuid', type: 'kind', sku: 'shade', at: 'when' } },
    },
  ],
  [
    'speaks TLS with a certificate of an authority that the profile names',
    {
      choices: { tls },
      profile: { tls: { ca_file: fixture('self-signed.cert.pem').pathname }, connections: 16 },
    },
  ],
  [
    'speaks TLS with a certificate that the profile says not to look at',
    { choices: { tls }, profile: { tls: { reject_unauthorized: false }, connections: 16 } },
  ],
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
