import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startGraphService } from '../../docs/examples/graph/service.ts';
import { startWidgetService } from '../../docs/examples/widget/service.ts';
import type { CheckData } from '../../src/checks/core/verdict.ts';
import { profileSchema } from '../../src/target/profile.ts';
import { rowsOf } from '../effort.ts';
import {
  atEnd,
  failedGroups,
  leaks,
  overBudget,
  readVerdicts,
  scenario,
  temporaryFolder,
  troubles,
  tryon,
  tryonEach,
} from './program.ts';

const example = (name: string): string =>
  join(import.meta.dirname, '../../docs/examples', name, 'profile.json');

interface Run {
  readonly sentence: string;
  readonly name: string;
  readonly start: typeof startWidgetService;
  readonly scenario: string;
  readonly options?: readonly string[];
}

/** The operation of the graph in OpenAPI. */
function graphDescription(): string {
  const file = join(temporaryFolder(), 'openapi.json');
  const body = { content: { 'application/json': { schema: { type: 'object', required: ['data'] } } } };
  const rejected = { '4XX': { description: 'without data' } };
  const paths = { '/graphql': { post: { responses: { 200: body, ...rejected } } } };
  writeFileSync(file, JSON.stringify({ openapi: '3.1.0', info: { title: 'graph', version: '1' }, paths }));
  return file;
}

const runs: readonly Run[] = [
  { sentence: 'smoke by a map: the widget', name: 'widget', start: startWidgetService, scenario: 'smoke' },
  {
    sentence: 'shopping by an adapter, which each worker loads: the graph',
    name: 'graph',
    start: startGraphService,
    scenario: scenario('shopping'),
    options: ['--workers', '2', '--openapi', graphDescription()],
  },
  { sentence: 'launch by a map: the widget', name: 'widget', start: startWidgetService, scenario: 'launch' },
  {
    sentence: 'launch by an adapter: the graph',
    name: 'graph',
    start: startGraphService,
    scenario: 'launch',
  },
];

/** The described operations that a run called. */
function called({ checks }: ReturnType<typeof readVerdicts>): string[] {
  const data = checks.find(({ id }) => id === 'contract.openapi')?.data;
  const { operations = [] } = (data ?? {}) as Partial<CheckData['contract.openapi']>;
  return operations.flatMap(({ answers, operation }) => (answers > 100 ? [operation] : []));
}

describe('a service that speaks otherwise than the interface passes', () => {
  it.each(rowsOf(runs, ({ options }) => options !== undefined))('$sentence', async (row) => {
    const service = await row.start();
    atEnd(() => service.close());
    const out = join(temporaryFolder(), 'run');
    const roles = Object.entries(service.keys);
    const ended = await tryon(
      [
        ...['run', row.scenario, '--profile', example(row.name), '--target', service.baseUrl, '--out', out],
        ...(row.options ?? []),
        ...roles.flatMap(([role]) => ['--key', `${role}=${role.toUpperCase()}`]),
      ],
      { env: Object.fromEntries(roles.map(([role, key]) => [role.toUpperCase(), key])) },
    );
    const verdicts = readVerdicts(out);
    // Requests that a busy machine sent late leave doubt, but accuse no target.
    const isHindered = verdicts.run.generator_bound;
    expect(isHindered ? failedGroups(verdicts) : troubles(verdicts), ended.stdout + ended.stderr).toEqual([]);
    expect(ended.code).toBe(isHindered ? 3 : 0);
    if (row.options?.includes('--openapi') === true) expect(called(verdicts)).toEqual(['POST /graphql']);
    expect(leaks(out, ended, [...Object.values(service.keys), /tok_[0-9a-f-]{8}/])).toEqual([]);
    expect(await overBudget(out)).toEqual([]);
  });
});

describe('tryon adapter check', () => {
  it('finds no fault in the examples, nor in the adapter of docs/adapt.md', async () => {
    const file = join(temporaryFolder(), 'adapter.ts');
    writeFileSync(file, blocks('ts')[0] ?? '');
    const examples = ['widget', 'graph'].map((name) => ['--profile', example(name)]);
    const checked = await tryonEach(
      [...examples, [file]].map((args) => ['adapter', 'check', ...args]),
      {},
    );
    expect(checked.map(({ code, stdout }) => [code, stdout])).toEqual(
      ['0 notes', '0 notes', '1 note'].map((notes) => [
        0,
        expect.stringMatching(`\n0 faults, ${notes}\\. Nothing was sent\\.\n$`),
      ]),
    );
    for (const { stdout } of checked.slice(0, 2)) expect(stdout).toMatch(/✓ interact +POST /);
  });
});

it('each profile in docs/adapt.md is one', () => {
  const profiles = blocks('json').map((text) => profileSchema.safeParse(JSON.parse(text)));
  expect(profiles.length).toBeGreaterThan(1);
  expect(profiles.flatMap(({ error }) => error ?? [])).toEqual([]);
});

/** The texts of the page in a language. */
function blocks(language: string): string[] {
  const page = readFileSync(join(import.meta.dirname, '../../docs/adapt.md'), 'utf8');
  return [...page.matchAll(/^```(\w+)\n(.*?)^```/gms)].flatMap(([, name, text = '']) =>
    name === language ? [text] : [],
  );
}
