import { describe, expect, it } from 'vitest';
import { dressRehearsal } from '../../src/drive/dress-rehearsal.ts';
import { catalog } from './virtual.ts';

describe('the dress rehearsal', () => {
  it('has every request answered, and is over with its last', async () => {
    expect(await dressRehearsal(catalog)).toBe(200);
  });
});
