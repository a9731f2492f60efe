import { describe, expect, it } from 'vitest';
import { causesDoc } from '../src/checks/diagnosis/causes-doc.ts';

describe('the documentation', () => {
  it('has every cause of the catalogue', async () => {
    await expect(causesDoc()).toMatchFileSnapshot('../docs/causes.md');
  });
});
