import { wrap } from '../../report/text.ts';
import { loadScenario, shippedNames } from '../../scenario/files.ts';
import { usualDuration } from './announce.ts';

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
