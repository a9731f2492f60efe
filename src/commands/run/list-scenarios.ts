import { budgetOf } from '../../drive/budget.ts';
import { wrap } from '../../report/text.ts';
import type { Scenario } from '../../scenario/define.ts';
import { loadScenario, shippedNames } from '../../scenario/files.ts';
import { durationInWords } from './announce.ts';
import { previewTarget } from './open-target.ts';
import { prepare } from './prepare.ts';

/** Prints the scenarios that tryon includes, each with its title and its duration. */
export async function listScenarios(): Promise<void> {
  const names = await shippedNames();
  const indent = Math.max(...names.map(({ length }) => length)) + 2;
  const columns = Math.max(indent + 30, Math.min(100, process.stdout.columns ?? 80));
  for (const name of names) {
    const { scenario } = await loadScenario(name);
    const lines = wrap(`${scenario.title} (${usualDuration(scenario)})`, columns - indent);
    const text = lines.map((line, index) => `${(index === 0 ? name : '').padEnd(indent)}${line}\n`);
    process.stdout.write(text.join(''));
  }
}

/** The announced duration against the embedded service with default options. It starts nothing. */
export function usualDuration(scenario: Scenario): string {
  const target = previewTarget({}, scenario, {});
  const prepared = prepare(scenario, target, { seed: 0, tag: 'listing' });
  return durationInWords(budgetOf(prepared, scenario, target.profile));
}
