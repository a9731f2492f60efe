import { z } from 'zod';
import { scenarioSchema } from '../../src/scenario/define.ts';
import { steady } from '../../src/scenario/load.ts';

const intro = `# Every field of a scenario

<!-- Made from src/scenario/define.ts and src/scenario/shoppers/settings.ts by: npx vitest run test/docs.test.ts -u -->
Generated file; do not edit. [Write a scenario](scenarios.md) says how to use them.

\`name\`, \`title\` and \`checks\` have to be given, and \`load\`, \`study\` or \`parts\`. A duration is a text such as \`2.5s\`, or a number of milliseconds.
“Ours” is a default without a published source.

| Field | Default | Meaning |
|---|---|---|
`;

interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly default?: unknown;
  readonly description?: string;
  readonly enum?: readonly string[];
}

/** `docs/scenario-fields.md`: each field with its default and its meaning, in the order of the schema. */
export function scenarioDoc(): string {
  const schema = z.toJSONSchema(scenarioSchema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  const least = { name: 'least', title: 'Least', load: [steady('1/s', '1s')], checks: ['contract'] };
  return `${intro}${rowsOf(schema, '', scenarioSchema.parse(least)).join('\n')}\n`;
}

/** `least`: what the fields are where a scenario says no more than it has to. */
function rowsOf({ properties = {} }: JsonSchema, path: string, least: unknown): string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const own = `${path}${name}`;
    const value = (least as Record<string, unknown> | undefined)?.[name];
    if (field.properties !== undefined) return rowsOf(field, `${own}.`, value);
    const values = (field.enum ?? field.items?.enum ?? []).map((each) => `\`${each}\``).join(', ');
    const meaning = [field.description ?? '', values].filter((text) => text !== '').join(' One of: ');
    const isGiven = path === '' && ['name', 'title', 'load', 'checks'].includes(name);
    return [
      `| \`${own}\` | ${isGiven ? '' : defaultText(value)} | ${meaning} |`,
      ...rowsOf(field.items ?? {}, `${own}[].`, undefined),
    ];
  });
}

/** Weights are many: their names are enough. */
function defaultText(value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return `\`${JSON.stringify(value)}\``;
  const weights = Object.entries(value).map(
    ([name, each]) => `${name} ${typeof each === 'object' ? each.weight : each}`,
  );
  return weights.join(', ');
}
