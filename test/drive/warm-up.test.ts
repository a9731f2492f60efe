import { describe, expect, it } from 'vitest';
import { warmUp } from '../../src/drive/load/load-here.ts';
import { catalog } from './virtual.ts';

describe('the warm-up', () => {
  it('has every request answered, and is over with its last', async () => {
    expect(await warmUp(catalog)).toBe(200);
  });
});
