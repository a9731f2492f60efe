import { hexClasses } from './colours.ts';
import { idClasses, nameClasses } from './texts.ts';
import type { TextClass } from './value-class.ts';

/** What shades that a service treats alike may have in common, by field. */
export const catalogue: Readonly<
  Record<'sku' | 'name' | 'hex' | 'finish', { readonly classes: readonly TextClass[] }>
> = {
  sku: { classes: idClasses },
  name: { classes: nameClasses },
  hex: { classes: hexClasses },
  finish: {
    classes: ['matte', 'other'].map((id) => ({
      id,
      holds: (finish) => (finish === 'matte') === (id === 'matte'),
      make: () => [],
    })),
  },
};
