import type { ParamsOf } from '../../../src/checks/reasons/words/wording.ts';

/** Parameters that can occur, for every entry of a table that has some: what tests render. Those of a template, it says itself. */
export type Examples<Table> = {
  readonly [Code in keyof Table as Table[Code] extends string ? never : Code]: ParamsOf<Table[Code]>;
};

/** A parameter that each format takes; one that is not here takes a number. */
const byFormat: Readonly<Record<string, unknown>> = {
  text: 'that',
  list: ['one', 'two'],
  range: { min: 2, max: 3 },
  request: 'create-session',
  requests: ['create-session', 'list-shades'],
  answered: ['list-shades 404', 'create-session 422'],
  keys: { key: 'load', endpoint: null },
  pace: { requests: 100, windowMs: 6_000 },
  kind: 'fixed-window',
  size: { limit: 100, windowMs: 6_000, refillPerS: null },
};

/** Parameters for the places of a template. */
export function templateExample(template: string): object {
  const places = [...template.matchAll(/\{(\w+)(?::([a-z]*)[^}]*)?\}/g)];
  return Object.fromEntries(
    places.map(([, name = '', format = ''], at) => [name, byFormat[format] ?? at + 2]),
  );
}
