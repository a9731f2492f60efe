import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const source = join(root, 'src');

/** The folders and files of `src/`, in the order of the table in ARCHITECTURE.md. */
function tableRows(): string[] {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const [table = ''] = /^\| Part of `src\/`.*(?:\n\|.*)+/m.exec(text) ?? [];
  return [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, part = '']) => part);
}

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

/** What imports itself, directly or through others. */
function inCircles(all: readonly Import[]): string[] {
  const edges = Map.groupBy(all, ({ file }) => file);
  const reachable = (from: string, seen = new Set<string>()): Set<string> => {
    for (const { imported } of edges.get(from) ?? [])
      if (!seen.has(imported)) reachable(imported, seen.add(imported));
    return seen;
  };
  return [...edges.keys()].filter((each) => reachable(each).has(each));
}

/** The part that a file belongs to: `checks/`, `wire.ts`. */
const partOf = (file: string): string => file.replace(/\/.*/, '/');

const mostOf = { lines: 91_846, files: 572, folders: 84 };

const rows = tableRows();
const across = imports().filter(({ file, imported }) => partOf(file) !== partOf(imported));

describe('the parts of src/', () => {
  it('are the rows of the table in ARCHITECTURE.md', () => {
    const parts = readdirSync(source, { withFileTypes: true }).map((each) =>
      each.isDirectory() ? `${each.name}/` : each.name,
    );
    expect(rows.toSorted()).toEqual(parts.sort());
  });

  it.each(rows.map((part, place) => ({ part, place })))(
    '$part imports only from rows above it',
    ({ part, place }) => {
      const above = rows.slice(0, place);
      const wrong = across.filter(
        ({ file, imported }) => partOf(file) === part && !above.includes(partOf(imported)),
      );
      expect(wrong.map(({ file, imported }) => `${file} imports ${imported}`)).toEqual([]);
    },
  );

  /** Whose own folder and folders below it depend on each other: no part may come to be one. */
  const withCircles = ['commands/', 'limits/', 'report/'];
  it.each(rows.filter((part) => part.endsWith('/') && !withCircles.includes(part)))(
    'have folders in %s of which no two depend on each other, directly or through others',
    (part) => {
      const within = imports()
        .filter(({ file, imported }) => file.startsWith(part) && imported.startsWith(part))
        .map(({ file, imported }) => ({ file: dirname(file), imported: dirname(imported) }));
      expect(inCircles(within.filter(({ file, imported }) => file !== imported))).toEqual([]);
    },
  );

  it('have no two files that import each other, directly or through others', () => {
    expect(imports().length).toBeGreaterThan(1_000);
    expect(inCircles(imports())).toEqual([]);
  });

  it('have no more lines, files and folders than these: lower a number when it falls', () => {
    const all = readdirSync(source, { recursive: true, withFileTypes: true });
    const files = all.filter((each) => each.isFile() && each.name.endsWith('.ts'));
    const lines = files.map(
      ({ name, parentPath }) => readFileSync(join(parentPath, name), 'utf8').split('\n').length - 1,
    );
    expect(lines.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(mostOf.lines);
    expect(files.length).toBeLessThanOrEqual(mostOf.files);
    expect(all.filter((each) => each.isDirectory()).length).toBeLessThanOrEqual(mostOf.folders);
  });

  it('keep the reference service apart: nothing but commands/serve/ imports it', () => {
    const users = across.filter(({ imported }) => imported.startsWith('service/')).map(({ file }) => file);
    expect(users.filter((file) => !file.startsWith('commands/serve/'))).toEqual([]);
    expect(users).toContain('commands/serve/serve.ts');
  });
});

it('each file that the program starts or loads by its name is there', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const named = files.flatMap((file) => {
    const calls = readFileSync(join(source, file), 'utf8').matchAll(/programFile\((['`])([^'`$]+)(\$)?/g);
    // Of a name that is put together, the folder.
    return [...calls].map(([, , path = '', isOpen]) => (isOpen === undefined ? `${path}.ts` : path));
  });
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((path) => !existsSync(join(source, path)))).toEqual([]);
});

describe('no verdict depends on who started the target', () => {
  /** Which commands reproduce a failure does, and the JSON of verdicts names it. */
  const mayAsk = ['checks/diagnosis/reproduction/curl.ts', 'checks/verdicts.ts'];
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

it('no text is written into SQL between quotes, but by history/columns.ts: what a target says is bound', () => {
  const withSql = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('service/'))
    .map((file) => ({ file, text: readFileSync(join(source, file), 'utf8') }))
    .filter(({ text }) => /\b(?:SELECT|FROM requests|read_csv|probe IN|starts_with)\b|\/\*\* SQL/.test(text));
  const written = withSql.filter(({ text }) => /'\$\{|replaceAll\("'", "''"\)/.test(text));
  expect(withSql.length).toBeGreaterThan(60);
  expect(written.map(({ file }) => file)).toEqual(['history/columns.ts']);
});
