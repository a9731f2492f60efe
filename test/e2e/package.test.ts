import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { filesBelow, patiently, profileArguments, readVerdicts, temporaryFolder } from './program.ts';

const root = join(import.meta.dirname, '..', '..');
const bin = join(root, 'node_modules', '.bin');
const run = (command: string, args: readonly string[], cwd: string): string =>
  execFileSync(join(bin, command), args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

const packed = z.tuple([z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) })]);
const manifest = z.object({ dependencies: z.record(z.string(), z.string()), files: z.array(z.string()) });

/** A scenario outside the package, as a user writes it. */
const ownScenario = `import { defineScenario, type Scenario, steady } from 'tryon';

const own: Scenario = defineScenario({
  name: 'own',
  title: 'Two seconds of a scenario outside the package',
  catalog: { products: 2 },
  load: [steady('1200/min', '2s')],
  explore: 150,
  checks: ['contract', 'latency'],
});
export default own;
`;

/** The files of the package, and a project that has it installed. */
let files: readonly string[] = [];
let project = '';

beforeAll(() => {
  const folder = temporaryFolder();
  const { dependencies, files: shipped } = manifest.parse(
    JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')),
  );
  // Built elsewhere than `npm pack` builds, so that the clone stays as it is.
  run(
    'rolldown',
    ['-c', '.ci/rolldown.config.ts', '--dir', join(folder, 'dist'), '--logLevel', 'warn'],
    root,
  );
  run('tsc', ['-p', '.ci/tsconfig.build.json', '--outDir', join(folder, 'dist')], root);
  for (const file of ['package.json', 'README.md', 'LICENSE', ...shipped])
    if (file !== 'dist' && !file.startsWith('!'))
      cpSync(join(root, file), join(folder, file), { recursive: true });
  const [pack] = packed.parse(
    JSON.parse(
      execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--loglevel=error'], {
        cwd: folder,
        encoding: 'utf8',
      }),
    ),
  );
  files = pack.files.map(({ path }) => path);

  project = temporaryFolder();
  const installed = join(project, 'node_modules', 'tryon');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, pack.filename), '--strip-components=1', '-C', installed]);
  for (const name of [...Object.keys(dependencies), '@types/node']) {
    const link = join(project, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  writeFileSync(join(project, 'own.ts'), ownScenario);
});

describe('the npm package', () => {
  it('has about a hundred files', () => {
    expect(files.length).toBeLessThan(140);
  });

  it('has the programs, declarations and documents, and nothing that only developers need', () => {
    for (const file of [
      'src/launcher.js',
      'dist/src/cli.js',
      'dist/src/index.d.ts',
      'docs/verdicts.schema.json',
    ])
      expect(files).toContain(file);
    expect(files.filter((file) => /^(test|bench|scenarios)\/|\.map$|\.test\./.test(file))).toEqual([]);
    expect(files.filter((file) => /^(src|dist)\/.*README/.test(file))).toEqual([]);
  });

  it('has no dependency bundled', () => {
    // rolldown writes the name of each module above its code.
    const bundled = filesBelow(join(project, 'node_modules', 'tryon', 'dist')).flatMap(
      ({ text }) => text.match(/^\/\/ (src|node_modules)\/\S+/gm) ?? [],
    );
    expect(bundled.length).toBeGreaterThan(500);
    expect(bundled.filter((name) => name.includes('node_modules'))).toEqual([]);
  });

  it('has each file that the program starts or loads by its name', () => {
    const source = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(root, 'src', file), 'utf8'))
      .join('\n');
    const named = [...source.matchAll(/programFile\('([^']+)'\)/g)].map(([, path]) => `dist/src/${path}.js`);
    const scenariosOf = (folder: string): string[] =>
      readdirSync(join(root, folder)).map((file) => `dist/${folder}/${file.replace(/\.ts$/, '.js')}`);
    expect(named.length).toBeGreaterThan(3);
    for (const file of [
      ...named,
      ...scenariosOf('scenarios'),
      ...scenariosOf('src/commands/selftest/scenarios'),
    ])
      expect(files).toContain(file);
  });

  it('has types for the scenario of a user, with all libraries checked', () => {
    const options = ['--noEmit', '--strict', '--target', 'es2024', '--module', 'nodenext', '--types', 'node'];
    const { status, stdout } = spawnSync(join(bin, 'tsc'), [...options, 'own.ts'], {
      cwd: project,
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([0, '']);
  });

  it.each([
    { needs: 'fleet worker', args: ['fleet', 'worker'], names: ['bullmq', 'ioredis'] },
    { needs: 'a bucket', args: ['merge', 's3://bucket/a'], names: ['aws4fetch'] },
    {
      needs: 'metrics',
      args: ['run', './own.ts', '--otlp', 'http://127.0.0.1:1'],
      names: ['@opentelemetry/sdk-metrics'],
    },
  ])('without what only $needs loads, says in one line what to install', ({ args, names }) => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [join('node_modules', 'tryon', 'src', 'launcher.js'), ...args],
      { cwd: project, encoding: 'utf8' },
    );
    expect(status, stderr).toBe(2);
    const [, said = ''] = /^tryon: .*needs more than is installed: npm install (.+)\n$/m.exec(stderr) ?? [];
    for (const name of names) expect(said).toMatch(new RegExp(`(^| )${name}@[\\^\\d]`));
  });

  it('runs that scenario with worker threads, judges and reports', () => {
    const out = join(project, 'out');
    const args = ['run', './own.ts', '--workers', '2', '--seed', '1', '--out', out];
    const { status, stderr } = spawnSync(
      process.execPath,
      [join('node_modules', 'tryon', 'src', 'launcher.js'), ...args, ...profileArguments(patiently)],
      { cwd: project, encoding: 'utf8' },
    );
    expect(status, stderr).toBe(0);
    expect(readVerdicts(out).verdict).toBe('pass');
    expect(readFileSync(join(out, 'report.html'), 'utf8')).toContain('uPlot');
    expect(existsSync(join(out, 'history', 'manifest.json'))).toBe(true);
  });
});
