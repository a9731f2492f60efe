import { describe, expect, it } from 'vitest';
import { SessionSample } from '../../src/drive/ask/sample.ts';
import { randomStream } from '../../src/random.ts';
import { parseAssurance, samplesFor } from '../../src/vocabulary/quantities.ts';

const tokenOf = (id: string): string => `token-of-${id}`;

function opened(sample: SessionSample, count: number): string[] {
  const ids = Array.from({ length: count }, (_, n) => `s${n}`);
  for (const id of ids) sample.opened('load', id, tokenOf(id));
  return ids;
}

describe('the sessions to read back', () => {
  it('are all of them while there are no more than were asked for', () => {
    const sample = new SessionSample(5, randomStream(1, 'x'));
    expect(sample.toRead('load')).toEqual([]);
    const ids = opened(sample, 5);
    expect(sample.toRead('load')).toEqual(ids);
    expect(sample.toRead('quota')).toEqual([]);
  });

  it('are as many as were asked for, none twice, of however many', () => {
    const sample = new SessionSample(10, randomStream(1, 'x'));
    opened(sample, 1_000);
    expect(sample.toRead('load')).toHaveLength(10);
    expect(new Set(sample.toRead('load')).size).toBe(10);
  });

  it('of an assurance of 1/1000@99% have one of the faulty, 1 in 1,000 of 20,000, in 99 of 100 draws', () => {
    const size = samplesFor(parseAssurance('1/1000@99%'));
    expect(size).toBeLessThanOrEqual(5_000);
    const isFaulty = (id: string): boolean => Number(id.slice(1)) % 1_000 === 7;
    const missed = Array.from({ length: 100 }, (_, seed) => seed).filter((seed) => {
      const sample = new SessionSample(size, randomStream(seed, 'assurance'));
      opened(sample, 20_000);
      return !sample.toRead('load').some(isFaulty);
    });
    expect(missed.length, `seeds ${missed.join(', ')}`).toBeLessThanOrEqual(1);
  });

  it('are each drawn with the same chance, early or late', () => {
    const drawn = new Array<number>(50).fill(0);
    for (let seed = 0; seed < 2_000; seed++) {
      const sample = new SessionSample(5, randomStream(seed, 'x'));
      opened(sample, 50);
      for (const id of sample.toRead('load'))
        drawn[Number(id.slice(1))] = (drawn[Number(id.slice(1))] ?? 0) + 1;
    }
    // 200 each are expected, with a standard deviation of about 13; the seeds are fixed.
    expect(Math.min(...drawn)).toBeGreaterThan(150);
    expect(Math.max(...drawn)).toBeLessThan(250);
  });

  it('begin with those with an ambiguous event', () => {
    const sample = new SessionSample(3, randomStream(1, 'x'));
    const ids = opened(sample, 3);
    sample.ambiguous('load', 's2', tokenOf('s2'));
    sample.ambiguous('load', 'other', tokenOf('other'));
    expect(sample.toRead('load')).toEqual(['s2', 'other', ...ids.slice(0, 2)]);
  });

  it('may be none, and the first of a role is known all the same', () => {
    const sample = new SessionSample(0, randomStream(1, 'x'));
    opened(sample, 3);
    expect([sample.toRead('load'), sample.first('load'), sample.first('quota')]).toEqual([
      [],
      's0',
      undefined,
    ]);
  });

  it('come with their tokens, for these to be taken out of the answers; others are forgotten', () => {
    const sample = new SessionSample(5, randomStream(1, 'x'));
    const ids = opened(sample, 500);
    sample.ambiguous('load', 'other', tokenOf('other'));
    const read = [...sample.toRead('load'), 's0'];
    for (const id of read) expect(sample.secretsOf(id)).toEqual([tokenOf(id)]);
    expect(ids.filter((id) => sample.secretsOf(id).length > 0).sort()).toEqual(
      [...new Set(read)].filter((id) => id !== 'other').sort(),
    );
  });
});

describe('the sessions that several workers have opened', () => {
  /** Samples of these numbers of sessions, merged. */
  function merged(size: number, counts: readonly number[], seed = 1, ambiguous = false): SessionSample {
    const sample = new SessionSample(size, randomStream(seed, 'main'));
    for (const [worker, count] of counts.entries()) {
      const own = new SessionSample(size, randomStream(seed, 'worker', worker));
      for (let n = 0; n < count; n++) {
        const id = `w${worker}-${n}`;
        own.opened('load', id, tokenOf(id));
        if (ambiguous && n === count - 1) own.ambiguous('load', id, tokenOf(id));
      }
      sample.merge(structuredClone(own.handOver()));
    }
    return sample;
  }

  it('are all read back while there are no more than were asked for', () => {
    expect(new Set(merged(9, [2, 0, 3]).toRead('load'))).toEqual(
      new Set(['w0-0', 'w0-1', 'w2-0', 'w2-1', 'w2-2']),
    );
  });

  it('are each drawn with the same chance, for workers with few or many of them', () => {
    const drawn = new Map<string, number>();
    for (let seed = 0; seed < 2_000; seed++) {
      for (const id of merged(5, [3, 37, 10], seed).toRead('load')) drawn.set(id, (drawn.get(id) ?? 0) + 1);
    }
    // 200 each are expected, with a standard deviation of about 13; the seeds are fixed.
    expect(drawn.size).toBe(50);
    expect(Math.min(...drawn.values())).toBeGreaterThan(150);
    expect(Math.max(...drawn.values())).toBeLessThan(250);
  });

  it('include every one with an ambiguous event, with its token', () => {
    const sample = merged(4, [30, 20], 1, true);
    expect(sample.toRead('load')).toEqual(expect.arrayContaining(['w0-29', 'w1-19']));
    expect(sample.first('load')).toBe('w0-0');
    for (const id of [...sample.toRead('load'), 'w0-0']) expect(sample.secretsOf(id)).toEqual([tokenOf(id)]);
  });
});
