import { describe, expect, it } from 'vitest';
import { gather, profileText } from '../../src/commands/first-steps/first-profile.ts';

/** Answers questions in turn; nobody answers after the last. */
function answering(answers: readonly string[]) {
  const asked: string[] = [];
  return {
    asked,
    ask: (question: string): Promise<string | undefined> => {
      asked.push(question);
      return Promise.resolve(answers[asked.length - 1]);
    },
  };
}

const url = 'http://127.0.0.1:1/v1';

describe('the questions before a first profile', () => {
  it('are five, and none has to be more than a name', async () => {
    const { ask, asked } = answering([url, 'LOAD_KEY', '', 'SMALL_KEY', '']);
    const facts = await gather({ file: 'x.json' }, ask);
    expect(asked).toHaveLength(5);
    expect({ ...facts, keys: Object.fromEntries(facts.keys) }).toEqual({
      baseUrl: url,
      keys: { load: { env: 'LOAD_KEY' }, quota: { env: 'SMALL_KEY' } },
      rateLimit: undefined,
      quota: undefined,
    });
  });

  it('are not asked where an option answers them', async () => {
    const { ask, asked } = answering([]);
    const key = ['load=A', 'quota=B', 'bystander=C'];
    await gather({ file: 'x.json', target: url, key, 'rate-limit': '100/6s' }, ask);
    expect(asked).toEqual([]);
  });

  it.each<[string, readonly string[], string]>([
    ['a service without an address', [''], '--target: expected the base URL'],
    ['an address without a version', ['http://127.0.0.1:1'], 'version segment'],
    ['no load key', [url, ''], '--key: expected load=ENV_VAR'],
    ['a key in place of its name', [url, 'sk-secret!'], 'not the key itself'],
    ['a limit that is none', [url, 'A', 'fast'], '--rate-limit: expected a limit'],
  ])('reject %s', async (_, answers, message) => {
    await expect(gather({ file: 'x.json' }, answering(answers).ask)).rejects.toThrow(message);
  });
});

const unseen = { status: 200, problem: undefined, clockAheadMs: undefined, closes: false };

describe('a first profile', () => {
  it('has the quota of an option, also without a key for it', () => {
    const facts = { baseUrl: url, keys: new Map([['load', { env: 'A' }] as const]), rateLimit: undefined };
    const look = { withoutKey: { ...unseen, limits: [] }, withKey: new Map(), dateFormat: undefined };
    expect(profileText({ ...facts, quota: 200 }, look, './schema.json')).toContain('"sessions": 200');
  });

  it('keeps a header field of the service within its comment', () => {
    const text = profileText(
      { baseUrl: url, keys: new Map([['load', { env: 'A' }]]), rateLimit: undefined, quota: undefined },
      {
        withoutKey: { ...unseen, limits: [] },
        withKey: new Map([['load', { ...unseen, limits: ['x-ratelimit-limit: 1\u2028"name": "other"'] }]]),
        dateFormat: 'date',
      },
      './profile.schema.json',
    );
    const lines = text.split(/[\n\r\u2028\u2029]/);
    expect(lines.filter((line) => line.includes('"other"'))).toEqual([
      '  // The service sends x-ratelimit-limit: 1 "name": "other"',
    ]);
  });
});
