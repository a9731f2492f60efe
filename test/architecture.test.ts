import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const source = join(root, 'src');

/** A row of the table in ARCHITECTURE.md: a folder or file of `src/`, and the folders and files that it imports. */
interface Row {
  readonly part: string;
  readonly imports: readonly string[];
}

function tableRows(): Row[] {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const [table = ''] = /^\| Part of `src\/`.*(?:\n\|.*)+/m.exec(text) ?? [];
  return table
    .split('\n')
    .slice(2)
    .map((line) => {
      const [part = '', , imports = ''] = line.split(' | ');
      return { part: namesIn(part)[0] ?? '', imports: namesIn(imports) };
    });
}

const namesIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

/** The files of `src/` that declare each type: an interface, an alias or a class. */
function declarations(): ReadonlyMap<string, readonly string[]> {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const all = files.flatMap((file) => {
    const text = readFileSync(join(source, file), 'utf8');
    const found = [...text.matchAll(/^(?:export )?(?:abstract )?(?:class|interface|type) (\w+)/gm)];
    return [...new Set(found.map(([, name = '']) => name))].map((name) => ({ name, file }));
  });
  const byName = Map.groupBy(all, ({ name }) => name);
  return new Map([...byName].map(([name, each]) => [name, each.map(({ file }) => file)]));
}

interface Import {
  readonly file: string;
  readonly imported: string;
}

/** Every import of one file of `src/` by another, types and imports at run time included. */
function imports(): Import[] {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.[jt]s$/.test(file),
  );
  return files.flatMap((file) => {
    const text = readFileSync(join(source, file), 'utf8');
    return [...text.matchAll(/(?:\bfrom |\bimport |\bimport\()'(\.[^']+)'/g)].map(([, path = '']) => ({
      file,
      imported: relative(source, join(source, file, '..', path)),
    }));
  });
}

/** The part that a file belongs to: `checks/`, `wire.ts`. */
const partOf = (file: string): string => file.replace(/\/.*/, '/');

const rows = tableRows();
const across = imports().filter(({ file, imported }) => partOf(file) !== partOf(imported));

describe('the parts of src/', () => {
  it('are the rows of the table in ARCHITECTURE.md', () => {
    const parts = readdirSync(source, { withFileTypes: true }).map((each) =>
      each.isDirectory() ? `${each.name}/` : each.name,
    );
    expect(rows.map(({ part }) => part).sort()).toEqual(parts.sort());
  });

  it.each(rows)('$part imports exactly what its row names', ({ part, imports: named }) => {
    const own = across.filter(({ file }) => partOf(file) === part);
    const isNamed = (imported: string): boolean =>
      named.some((name) => (name.endsWith('/') ? imported.startsWith(name) : imported === name));
    const missing = own.filter(({ imported }) => !isNamed(imported));
    expect(missing.map(({ file, imported }) => `${file} imports ${imported}`)).toEqual([]);
    const unused = named.filter((name) => !own.some(({ imported }) => imported.startsWith(name)));
    expect(unused).toEqual([]);
  });

  it.each(rows.map((row, place) => ({ ...row, place })))(
    '$part imports only from rows above it',
    ({ imports: named, place }) => {
      const above = rows.slice(0, place).map(({ part }) => part);
      expect(named.filter((name) => !above.includes(partOf(name)))).toEqual([]);
    },
  );

  it('never import each other', () => {
    const pairs = new Set(across.map(({ file, imported }) => `${partOf(file)} ${partOf(imported)}`));
    const twoWay = [...pairs].filter((pair) => pairs.has(pair.split(' ').reverse().join(' ')));
    expect(pairs.size).toBeGreaterThan(0);
    expect(twoWay).toEqual([]);
  });

  it.each(['checks/', 'drive/'])(
    'have folders in %s of which no two depend on each other, directly or through others',
    (part) => {
      const folderOf = (file: string): string => dirname(file);
      const edges = Map.groupBy(
        imports().filter(
          ({ file, imported }) =>
            file.startsWith(part) && imported.startsWith(part) && folderOf(file) !== folderOf(imported),
        ),
        ({ file }) => folderOf(file),
      );
      const reachable = (from: string, seen = new Set<string>()): Set<string> => {
        for (const { imported } of edges.get(from) ?? []) {
          const to = folderOf(imported);
          if (!seen.has(to)) reachable(to, seen.add(to));
        }
        return seen;
      };
      expect(edges.size).toBeGreaterThan(5);
      expect([...edges.keys()].filter((folder) => reachable(folder).has(folder))).toEqual([]);
    },
  );

  it('keep the reference service apart: nothing but commands/serve/ imports it', () => {
    const users = across.filter(({ imported }) => imported.startsWith('service/')).map(({ file }) => file);
    expect(users.filter((file) => !file.startsWith('commands/serve/'))).toEqual([]);
    expect(users).toContain('commands/serve/serve.ts');
  });
});

describe('no verdict depends on who started the target', () => {
  /** Which commands reproduce a failure does, and the JSON of verdicts names it. */
  const mayAsk = ['checks/diagnosis/reproduction/shell-settings.ts', 'checks/verdicts.ts'];
  const asks = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(checks|limits|sent)\/.*\.ts$/.test(file))
    .filter((file) =>
      /\btarget\??\.kind\b|\btarget: \{ kind\b|[=!]== 'embedded'|'embedded' [=!]==/.test(
        readFileSync(join(source, file), 'utf8'),
      ),
    );

  it('so checks do not ask whether it is embedded: what a run may rely on, its profile says', () => {
    expect(asks.toSorted()).toEqual(mayAsk);
  });
});

it('each type has a name of its own', () => {
  const all = declarations();
  expect(all.size).toBeGreaterThan(1000);
  expect([...all].filter(([, files]) => files.length > 1)).toEqual([]);
});

it('no text is written into SQL between quotes, but by history/tables.ts: what a target says is bound', () => {
  const withSql = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('service/'))
    .map((file) => ({ file, text: readFileSync(join(source, file), 'utf8') }))
    .filter(({ text }) => /\b(?:SELECT|FROM requests|read_csv|probe IN|starts_with)\b|\/\*\* SQL/.test(text));
  const written = withSql.filter(({ text }) => /'\$\{|replaceAll\("'", "''"\)/.test(text));
  expect(withSql.length).toBeGreaterThan(60);
  expect(written.map(({ file }) => file)).toEqual(['history/tables.ts']);
});
