import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { orderOf, repeatRuns } from '../../src/commands/again/repeat-runs.ts';
import type { RunArguments } from '../../src/commands/options.ts';

describe('the order of repeated runs', () => {
  it.each([
    [1, 'ab'],
    [2, 'abba'],
    [3, 'abbaab'],
    [4, 'abbaabba'],
  ])('of %d runs of each side is %s', (repeat, order) => {
    expect(orderOf(repeat).join('')).toBe(order);
  });
});

const stricter = join(tmpdir(), `tryon-stricter-${process.pid}.json`);
beforeAll(() => writeFile(stricter, '{ "rate_limit": "10/1s" }'));
afterAll(() => rm(stricter));

const args: RunArguments = { scenario: 'smoke', verbose: false, yes: false, seed: 1 };

describe('repeated runs are refused before the first request', () => {
  it.each<[string, Partial<RunArguments>, string]>([
    ['--repeat alone', { repeat: 2 }, '--repeat: needs --against PROFILE, the profile of the other side'],
    [
      '--against alone',
      { against: 'b.json' },
      '--against: needs --repeat N, the number of runs of each side',
    ],
    [
      'a profile to write',
      { repeat: 2, against: 'b.json', 'write-profile': 'c.json' },
      '--write-profile: takes the results of one run, so it cannot be used with --repeat',
    ],
    [
      'a shard',
      { repeat: 2, against: 'b.json', shard: '1/2', gather: 'shards' },
      '--shard: sends a part of one run, so it cannot be used with --repeat',
    ],
    [
      'a port that is none',
      { repeat: 2, against: 'b.json', 'metrics-port': 'none' },
      '--metrics-port: expected a port from 0 to 65535',
    ],
    [
      'a folder that exists',
      { repeat: 2, against: 'b.json', out: '.' },
      '--out: . exists already; a run needs a new folder',
    ],
    [
      'a profile that is missing',
      { repeat: 2, against: 'no-such.json' },
      'profile no-such.json: cannot be read',
    ],
    [
      'sides that cannot be compared',
      { repeat: 2, against: stricter },
      '--against: runs of A and B could not be compared: profile.rate_limit',
    ],
  ])('%s', async (_, given, message) => {
    await expect(repeatRuns({ ...args, ...given })).rejects.toThrow(message);
  });
});
