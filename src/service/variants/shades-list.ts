import { rewriteBodies } from './answers.ts';
import type { Variant } from './variant.ts';

/** GET /shades answers with the shades in another frame. */
function shadesIn(name: string, title: string, frame: (shades: readonly unknown[]) => unknown): Variant {
  return {
    name,
    title,
    alterations: {
      server: (app) =>
        rewriteBodies(app, (body, { endpoint, status }) =>
          endpoint === 'GET /v1/shades' && status === 200
            ? frame((body as { readonly shades: readonly unknown[] }).shades)
            : body,
        ),
    },
  };
}

export const shadesBare = shadesIn(
  'shades-bare',
  'GET /shades answers with a bare array',
  (shades) => shades,
);

export const shadesWrapped = shadesIn(
  'shades-wrapped',
  'GET /shades answers {"shades": […]} and nothing else',
  (shades) => ({ shades }),
);
