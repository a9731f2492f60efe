import { rewriteBodies } from './answers.ts';
import type { Variant } from './variant.ts';

const extra = { object: 'resource', revision: 7, labels: ['blue'], meta: { region: 'eu-1', note: null } };

export const extraFields: Variant = {
  name: 'extra-fields',
  title: 'Every object in every body has unknown fields',
  alterations: { server: (app) => rewriteBodies(app, withExtra) },
};

function withExtra(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withExtra);
  if (typeof value !== 'object' || value === null) return value;
  const own = Object.entries(value).map(([name, field]) => [name, withExtra(field)]);
  return { ...extra, ...Object.fromEntries(own) };
}
