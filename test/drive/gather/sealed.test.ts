import { expect, it } from 'vitest';
import { seal, unseal } from '../../../src/drive/gather/notes.ts';

const tokens = new Map([
  ['s1', 'token-of-s1'],
  ['s2', 'token-of-s2'],
]);

it('tokens are read by who has the load key, and by nobody else', () => {
  const sealed = seal(tokens, 'key', 'tag');
  expect(sealed).not.toContain('token');
  expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('token');
  expect(unseal(sealed, 'key', 'tag')).toEqual(tokens);
  expect(() => unseal(sealed, 'another key', 'tag')).toThrow();
  expect(() => unseal(sealed, 'key', 'another tag')).toThrow();
});
