import { describe, expect, it } from 'vitest';
import type { Probe } from '../../../src/vocabulary/probes.ts';
import { judged } from './target.ts';

const problem = 'content-type of a 404: expected application/json, got "text/html"';

/** The check of answers, where a 404 with a page comes to a request for a session. */
async function answersWith(probe: Probe | undefined): Promise<string | undefined> {
  const page = { endpoint: 'read-session', credential: 'load', status: 404, problem } as const;
  const more = [probe === undefined ? page : { ...page, probe }];
  const results = await judged({ more, profile: { error_bodies: 'json' } });
  return results.find(({ id }) => id === 'contract.answers')?.verdict;
}

describe('an error that is a page, where JSON is promised', () => {
  it.each<[string, Probe | undefined, string]>([
    ['to an ordinary request is wrong', undefined, 'fail'],
    ['to an unknown id is wrong', 'unknown-session', 'fail'],
    ['to a path in another spelling may be a router’s', 'scope:spelled', 'pass'],
  ])('%s', async (_, probe, verdict) => {
    expect(await answersWith(probe)).toBe(verdict);
  });
});

it('is no fault where nothing is promised of errors, and is said', async () => {
  const page = { endpoint: 'read-session', credential: 'load', status: 404, problem } as const;
  const results = await judged({ more: [page] });
  expect(results.find(({ id }) => id === 'contract.answers')).toMatchObject({
    verdict: 'pass',
    explanation: expect.stringContaining(
      'Errors (404) from GET /sessions/{id} do not have the media type of JSON.',
    ),
  });
});
