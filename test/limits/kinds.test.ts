import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keyOf } from '../../src/limits/kinds/kind.ts';
import { kindOf, kinds } from '../../src/limits/kinds/table.ts';

const all = kinds.flatMap((kind) => [kind, ...(kind.coarser ?? [])]);

describe('the table of kinds', () => {
  it('finds each kind and each of its variants by its settled parameters', () => {
    for (const kind of all)
      expect(kindOf({ kind: keyOf(kind), limit: 1, scaleNs: 1, boundaryNs: 0 })).toBe(kind);
  });

  it('says of every kind that a launch is compared with which rejections may be due', () => {
    const silent = kinds.filter(
      ({ algorithm, mayRefuse }) => algorithm !== undefined && mayRefuse === undefined,
    );
    expect(silent.map(keyOf)).toEqual([]);
  });

  it('has the ids that docs/limits.md explains', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/limits.md'), 'utf8');
    // What `-all` stands for is explained once, and pieces are a coarser arithmetic.
    const explained = (id: string): boolean => page.includes(`\`${id.replace(/-all(?=-|$)/, '')}\``);
    expect(kinds.filter(({ id }) => !explained(id)).map(keyOf)).toEqual([]);
  });
});
