import { describe, expect, it } from 'vitest';
import { spelled } from '../../src/target/client.ts';

describe('a path that is spelled otherwise', () => {
  it.each([
    ['double-slash', '/shades?catalog_id=c', '//shades?catalog_id=c'],
    ['trailing-slash', '/shades?catalog_id=c', '/shades/?catalog_id=c'],
    ['trailing-slash', '/sessions', '/sessions/'],
    ['capital', '/shades', '/Shades'],
    ['percent', '/sessions/s1', '/%73essions/s1'],
    ['head', '/sessions', '/sessions'],
  ] as const)('has %s: %s', (spelling, path, expected) => {
    expect(spelled(path, spelling)).toBe(expected);
  });
});
