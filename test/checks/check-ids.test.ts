import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectedWordings } from '../../src/checks/reasons/expected.ts';
import { profileSchema } from '../../src/target/profile.ts';
import { checkGroups, checkIds } from '../../src/vocabulary/check-ids.ts';

const root = join(import.meta.dirname, '../..');

function sources(folder: string): { readonly file: string; readonly text: string }[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ file: join(folder, file), text: readFileSync(join(root, folder, file), 'utf8') }));
}

const checks = sources('src/checks');

describe('the id of a check', () => {
  it.each(checkIds)('%s is given to findings in one file, and by calls of the explorer', (id) => {
    // As the id of a result, or as the first argument of what makes one.
    const given = new RegExp(`(?:\\bid: [^\\n]*|\\bresult\\(\\s*)'${id.replaceAll('.', '\\.')}'`);
    const files = checks.filter(({ text }) => given.test(text)).map(({ file }) => file);
    const own = files.filter((file) => !file.endsWith('explored/relation.ts'));
    expect(own.length === 0 ? files : own).toHaveLength(1);
  });

  it('is never one that no check has', () => {
    const fields = Object.entries(profileSchema.parse({})).flatMap(([part, value]) =>
      typeof value === 'object' ? Object.keys(value).map((name) => `${part}.${name}`) : [],
    );
    const known = new Set<string>([...checkIds, ...fields, ...Object.keys(expectedWordings), ...others]);
    const literal = new RegExp(`(['"\`])((?:${checkGroups.join('|')})\\.[a-z][\\w-]*)\\1`, 'g');
    const unknown = ['src', 'test', 'scenarios', 'bench'].flatMap(sources).flatMap(({ file, text }) =>
      [...text.matchAll(literal)]
        .map(([, , id = '']) => id)
        .filter((id) => !known.has(id) && !/\.(?:error|left-out-\w+)$/.test(id))
        .map((id) => `${id} in ${file}`),
    );
    expect(unknown).toEqual([]);
  });
});

describe('the name of a probe', () => {
  it('is never a plain text in SQL: `isProbe` and `isProbeOf` take the type', () => {
    const written =
      /\bprobe (?:=|<>|IN|NOT IN|LIKE) \(?'[\w:-]+'(?! \|\|)|starts_with\((?:coalesce\()?(?:\w\.)?probe\b[^)]*'[\w-]+:'/g;
    const found = sources('src')
      .filter(({ file }) => !file.endsWith('checks/probe-names.ts'))
      .flatMap(({ file, text }) => [...text.matchAll(written)].map(([sql]) => `${sql} in ${file}`));
    expect(found).toEqual([]);
  });
});

/** What looks like an id: optional fields of the profile, a file, the checks that a scenario adds, an answer's fields. */
const others = [...['quota.sessions', 'history.duckdb', 'latency.slo', 'history.items', 'history.events']];
