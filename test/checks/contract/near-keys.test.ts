import { describe, expect, it } from 'vitest';
import type { CauseCode } from '../../../src/checks/diagnosis/cause.ts';
import { interfaceEndpoints } from '../../../src/checks/diagnosis/requests.ts';
import type { Verdict } from '../../../src/checks/verdict.ts';
import type { SampleRequest } from '../../history/sample.ts';
import { causeCodes } from '../cause-codes.ts';
import { judged } from './target.ts';

const kinds = ['cut-by-1', 'last-changed', 'case', 'cut-to-16', 'longer'];

/** One kind on each endpoint, refused, but for what is changed. */
function asked(changes: Readonly<Record<string, Partial<SampleRequest>>> = {}): SampleRequest[] {
  return interfaceEndpoints.map((endpoint, n) => ({
    stage: 'setup',
    credential: 'bad',
    endpoint,
    probe: `near-key:${kinds[n]}:${endpoint}`,
    status: 401,
    ...changes[endpoint],
  }));
}

const quoted: SampleRequest = {
  stage: 'setup',
  credential: 'bad',
  endpoint: 'analytics',
  probe: 'near-key:quoted:analytics',
  status: 400,
};

describe('a key that only resembles a valid one', () => {
  it.each<[string, readonly SampleRequest[], Verdict, RegExp, ...CauseCode[]]>([
    [
      'is refused by a good target, which is told with what was tried',
      asked(),
      'pass',
      /^5 altered forms of the load key got 401, each on one endpoint: without its last character, .*cut to 16 characters/,
    ],
    [
      'that is let in on one endpoint is a fault, which names kind and endpoint',
      asked({ 'import-shades': { status: 201 } }),
      'fail',
      /got 201 from import-shades \(key cut to 16 characters\): 1 of 5 answers/,
      'key-compared-loosely',
    ],
    [
      'that is let in and finds nothing was let in as well',
      asked({ 'read-session': { status: 404 } }),
      'fail',
      /got 404 from read-session \(key last character changed\)/,
      'key-compared-loosely',
    ],
    [
      'that meets the rate limit shows nothing',
      asked({ analytics: { status: 429 } }),
      'inconclusive',
      /one character longer on analytics: rate limited \(429\)/,
    ],
    [
      'that was not tried everywhere shows nothing of the other endpoints',
      asked().slice(0, 3),
      'inconclusive',
      /import-shades: none was sent, analytics: none was sent/,
    ],
    ['in a malformed header may get 400', [...asked(), quoted], 'pass', /6 altered forms .* got 400 or 401/],
    [
      'in quotes is let in by nobody',
      [...asked(), { ...quoted, status: 200 }],
      'fail',
      /key in quotes/,
      'key-compared-loosely',
    ],
  ])('%s', async (_sentence, more, verdict, explanation, ...causes) => {
    const results = await judged({ more });
    const result = results.find(({ id }) => id === 'contract.near-keys');
    expect(result?.explanation).toMatch(explanation);
    expect(result?.verdict).toBe(verdict);
    expect(causeCodes([result])).toEqual(causes);
    // Whatever is let in has no promised form.
    expect(results.filter(({ id, verdict: each }) => each === 'fail' && id !== 'contract.near-keys')).toEqual(
      [],
    );
  });

  it('that is let in where no key is looked at is no cause of its own', async () => {
    const results = await judged({
      more: asked({ analytics: { status: 200 } }),
      requests: { 'no-key:analytics': { status: 200 }, 'bad-key:analytics': { status: 200 } },
    });
    expect(causeCodes(results)).toEqual(['key-not-checked']);
    expect(results.find(({ id }) => id === 'contract.near-keys')?.verdict).toBe('fail');
  });

  it('is not spoken of in a run that sent none', async () => {
    expect((await judged({})).map(({ id }) => id)).not.toContain('contract.near-keys');
  });
});
