import { describe, expect, it } from 'vitest';
import { checksDoc } from '../src/checks/checks-doc.ts';
import { causesDoc } from '../src/checks/diagnosis/causes-doc.ts';

describe('the documentation', () => {
  it('has every cause of the catalogue', async () => {
    await expect(causesDoc()).toMatchFileSnapshot('../docs/causes.md');
  });

  it('has every check of the catalogue', async () => {
    await expect(checksDoc()).toMatchFileSnapshot('../docs/checks.md');
  });
});
