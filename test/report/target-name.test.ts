import { describe, expect, it } from 'vitest';
import type { RunInfo } from '../../src/history/run.ts';
import { targetName } from '../../src/report/answer.ts';

describe('the name of a target', () => {
  it.each<[string, RunInfo['target']['kind'], RunInfo['profile'], string]>([
    ['is its profile’s', 'foreign', { name: 'staging' }, 'staging'],
    [
      'says what was planted',
      'embedded',
      { name: 'embedded reference service with S1' },
      'embedded reference service with S1',
    ],
    ['is what it is where an altered run has no name for it', 'foreign', { name: 7 }, 'target'],
    ['likewise of the embedded service', 'embedded', {}, 'embedded reference service'],
  ])('%s', (_what, kind, profile, name) => {
    expect(targetName({ profile, target: { kind, base_url: 'http://127.0.0.1:1/v1' } })).toBe(name);
  });
});
