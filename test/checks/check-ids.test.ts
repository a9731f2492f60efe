import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkCatalogue } from '../../src/checks/catalogue/check-catalogue.ts';
import { profileSchema } from '../../src/target/profile.ts';
import { checkGroups, checkIds } from '../../src/vocabulary/check-ids.ts';
import { sentenceFaults } from '../wording-faults.ts';

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
    const known = new Set<string>([...checkIds, ...fields, ...others]);
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
      .filter(({ file }) => !file.endsWith('checks/core/probes.ts'))
      .flatMap(({ file, text }) => [...text.matchAll(written)].map(([sql]) => `${sql} in ${file}`));
    expect(found).toEqual([]);
  });
});

/** What looks like an id: optional fields of the profile, a file, the checks that a scenario adds, an answer's fields. */
const others = [...['quota.sessions', 'history.duckdb', 'latency.slo', 'history.items', 'history.events']];

describe('the catalogue of checks', () => {
  it.each(Object.entries(checkCatalogue))('describes %s in plain sentences', (_, entry) => {
    expect(Object.values({ ...entry, title: `${entry.title}.` }).flatMap(sentenceFaults)).toEqual([]);
  });

  it('gives every check another title', () => {
    const titles = Object.values(checkCatalogue).map((entry) => entry.title);
    expect(titles.filter((each, place) => titles.indexOf(each) < place)).toEqual([]);
  });

  it('gives no two checks titles of nearly the same words', () => {
    const small = new Set(
      'a an the of in to is are it its that with and or for by be as at not no field'.split(' '),
    );
    const words = Object.entries(checkCatalogue).map(([id, { title }]) => ({
      id,
      own: new Set((title.toLowerCase().match(/\w+/g) ?? []).filter((word) => !small.has(word))),
    }));
    const alike = words.flatMap((one, place) =>
      words
        .slice(0, place)
        .filter(({ own }) => {
          const common = [...own].filter((word) => one.own.has(word)).length;
          return common > 0.6 * (own.size + one.own.size - common);
        })
        .map(({ id }) => `${id} and ${one.id}`),
    );
    expect(alike).toEqual([]);
  });

  it.each([
    ['The quota is refused for the rate.', '“refused”'],
    ['Two facts. In two sentences.', 'more than one sentence'],
    ['A fact without its end', 'no full stop'],
    [`${'word '.repeat(25)}word.`, '26 words'],
  ])('%s is a fault', (sentence, fault) => {
    expect(sentenceFaults(sentence).join()).toContain(fault);
  });
});
