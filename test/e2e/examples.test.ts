import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startGraphService } from '../../examples/graph/service.ts';
import { startWidgetService } from '../../examples/widget/service.ts';
import { rowsOf } from '../effort.ts';
import {
  atEnd,
  failedGroups,
  leaks,
  overBudget,
  readVerdicts,
  temporaryFolder,
  troubles,
  tryon,
} from './program.ts';

const example = (name: string): string => join(import.meta.dirname, '../../examples', name, 'profile.json');

const runs = [
  {
    sentence: 'by a map: the widget',
    name: 'widget',
    start: startWidgetService,
    scenario: 'smoke',
    isShort: true,
  },
  {
    sentence: 'by an adapter: the graph',
    name: 'graph',
    start: startGraphService,
    scenario: 'smoke',
    isShort: true,
  },
  { sentence: 'by a map: the widget', name: 'widget', start: startWidgetService, scenario: 'launch' },
  { sentence: 'by an adapter: the graph', name: 'graph', start: startGraphService, scenario: 'launch' },
];

describe('a service that speaks otherwise than the interface passes', () => {
  it.each(rowsOf(runs, ({ isShort }) => isShort === true))('$scenario $sentence', async (row) => {
    const service = await row.start();
    atEnd(() => service.close());
    const out = join(temporaryFolder(), 'run');
    const roles = Object.entries(service.keys);
    const ended = await tryon(
      [
        ...['run', row.scenario, '--profile', example(row.name), '--target', service.baseUrl, '--out', out],
        ...roles.flatMap(([role]) => ['--key', `${role}=${role.toUpperCase()}`]),
      ],
      { env: Object.fromEntries(roles.map(([role, key]) => [role.toUpperCase(), key])) },
    );
    const verdicts = readVerdicts(out);
    // Requests that a busy machine sent late leave doubt, but accuse no target.
    const isHindered = verdicts.run.generator_bound;
    expect(isHindered ? failedGroups(verdicts) : troubles(verdicts), ended.stdout + ended.stderr).toEqual([]);
    expect(ended.code).toBe(isHindered ? 3 : 0);
    expect(leaks(out, ended, [...Object.values(service.keys), /tok_[0-9a-f-]{8}/])).toEqual([]);
    expect(await overBudget(out)).toEqual([]);
  });
});

describe('tryon adapter check', () => {
  it.each(['widget', 'graph'])('finds no fault in the example %s', async (name) => {
    const { code, stdout } = await tryon(['adapter', 'check', '--profile', example(name)]);
    expect(stdout).toMatch(/\n0 faults, 0 notes\. Nothing was sent\.\n$/);
    expect(stdout).toMatch(/✓ interact +POST /);
    expect(code).toBe(0);
  });
});
