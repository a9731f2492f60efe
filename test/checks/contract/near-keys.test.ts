import { describe, expect, it } from 'vitest';
import type { CauseCode } from '../../../src/checks/causes/cause.ts';
import type { Verdict } from '../../../src/checks/core/verdict.ts';
import { interfaceEndpoints } from '../../../src/checks/reasons/words/requests.ts';
import type { SampleRequest } from '../../history/sample.ts';
import { causeCodes } from '../cause-codes.ts';
import { expectSaid, type Said, said, saidAll } from './said.ts';
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
  it.each<[string, readonly SampleRequest[], Verdict, Said, ...CauseCode[]]>([
    [
      'is refused by a good target, which is told with what was tried',
      asked(),
      'pass',
      said('near-keys-401', { answers: 5, statuses: [401], forms: kinds }),
    ],
    [
      'that is let in on one endpoint is a fault, which names kind and endpoint',
      asked({ 'import-shades': { status: 201 } }),
      'fail',
      saidAll(
        said('near-keys-status', { form: 'cut-to-16', endpoint: 'import-shades', status: 201 }),
        said('near-keys-share', { wrong: 1, answers: 5 }),
      ),
      'key-compared-loosely',
    ],
    [
      'that is let in and finds nothing was let in as well',
      asked({ 'read-session': { status: 404 } }),
      'fail',
      said('near-keys-status', { form: 'last-changed', endpoint: 'read-session', status: 404 }),
      'key-compared-loosely',
    ],
    [
      'that meets the rate limit shows nothing',
      asked({ analytics: { status: 429 } }),
      'inconclusive',
      said('near-keys-unclear', { form: 'longer', endpoint: 'analytics', got: { status: 429 } }),
    ],
    [
      'that was not tried everywhere shows nothing of the other endpoints',
      asked().slice(0, 3),
      'inconclusive',
      said('near-keys-not-sent', { endpoints: ['import-shades', 'analytics'] }),
    ],
    [
      'in a malformed header may get 400',
      [...asked(), quoted],
      'pass',
      said('near-keys-401', { answers: 6, statuses: [401, 400] }),
    ],
    [
      'in quotes is let in by nobody',
      [...asked(), { ...quoted, status: 200 }],
      'fail',
      said('near-keys-status', { form: 'quoted' }),
      'key-compared-loosely',
    ],
  ])('%s', async (_sentence, more, verdict, why, ...causes) => {
    const results = await judged({ more });
    const result = results.find(({ id }) => id === 'contract.near-keys');
    expectSaid(result, why);
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
