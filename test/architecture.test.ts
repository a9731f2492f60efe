import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const source = join(import.meta.dirname, '..', 'src');

/** What each part of `src/` may import of the others. Types count: a name that is needed is a dependency. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  'wire.ts': [],
  'random.ts': [],
  'exit.ts': [],
  'amounts.ts': [],
  'program-files.ts': [],
  catalog: ['random.ts', 'wire.ts', 'amounts.ts'],
  shoppers: ['random.ts', 'wire.ts', 'catalog', 'scenario'],
  scenario: ['exit.ts', 'amounts.ts', 'program-files.ts', 'catalog', 'shoppers', 'checks', 'target'],
  target: ['exit.ts', 'wire.ts', 'amounts.ts', 'program-files.ts', 'scenario', 'history'],
  plan: ['catalog', 'shoppers', 'scenario', 'target'],
  history: ['exit.ts', 'amounts.ts', 'program-files.ts', 'target', 'checks', 'scenario'],
  sent: ['target', 'history', 'limits'],
  drive: [
    'random.ts',
    'exit.ts',
    'amounts.ts',
    'wire.ts',
    'program-files.ts',
    'catalog',
    'shoppers',
    'scenario',
    'plan',
    'target',
    'history',
    'limits',
    'sent',
    'capacity',
  ],
  limits: ['random.ts', 'amounts.ts'],
  capacity: ['random.ts', 'amounts.ts'],
  checks: ['wire.ts', 'amounts.ts', 'target', 'scenario', 'history', 'limits', 'sent', 'capacity'],
  report: ['amounts.ts', 'scenario', 'history', 'checks', 'target', 'capacity'],
  simulate: ['wire.ts', 'amounts.ts', 'catalog', 'shoppers', 'scenario', 'plan', 'target', 'report'],
  selftest: ['random.ts', 'exit.ts', 'amounts.ts', 'program-files.ts', 'checks', 'target', 'report'],
  service: ['wire.ts'],
  'index.ts': ['scenario'],
};

/** Of some parts only a vocabulary is to be had: these files, and no others. */
const vocabularies: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  shoppers: { scenario: ['scenario/quantities.ts'] },
  scenario: { checks: ['checks/check-ids.ts'], target: ['target/profile.ts'] },
  history: { checks: ['checks/check-ids.ts'], scenario: ['scenario/study.ts'] },
  simulate: {
    target: ['target/channel.ts', 'target/profile.ts'],
    report: ['report/format.ts', 'report/text.ts'],
  },
  selftest: {
    checks: ['checks/check-ids.ts', 'checks/diagnosis/cause.ts', 'checks/verdict.ts'],
    target: ['target/profile.ts'],
  },
  target: { history: ['history/record.ts'], scenario: ['scenario/quantities.ts', 'scenario/define.ts'] },
};

interface Import {
  readonly file: string;
  readonly part: string;
  readonly imported: string;
}

function imports(): Import[] {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  return files.flatMap((file) => {
    const text = readFileSync(join(source, file), 'utf8');
    return [...text.matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) => ({
      file,
      part: file.split('/')[0] ?? file,
      imported: relative(source, join(source, file, '..', path)),
    }));
  });
}

const across = imports().filter(({ part, imported }) => imported.split('/')[0] !== part);

describe('the layers of src/', () => {
  it('are known: every part has its row', () => {
    const parts = new Set(across.map(({ part }) => part));
    for (const free of ['cli.ts', 'commands']) parts.delete(free);
    expect([...parts].filter((part) => mayImport[part] === undefined)).toEqual([]);
  });

  it.each(Object.entries(mayImport))('%s imports nothing but what it may', (part, allowed) => {
    const wrong = across.filter((each) => {
      const other = each.imported.split('/')[0] ?? '';
      const vocabulary = vocabularies[part]?.[other];
      return (
        each.part === part && (!allowed.includes(other) || vocabulary?.includes(each.imported) === false)
      );
    });
    expect(wrong.map(({ file, imported }) => `${file} imports ${imported}`)).toEqual([]);
  });

  it('keep the reference service apart: nothing but commands/serve*.ts imports it', () => {
    const users = across.filter(({ imported }) => imported.startsWith('service/')).map(({ file }) => file);
    expect(users.filter((file) => !/^commands\/serve(-\w+)?\.ts$/.test(file))).toEqual([]);
    expect(users).toContain('commands/serve.ts');
  });
});
