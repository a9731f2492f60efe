import type { AccountAct, AccountSession } from './account.ts';
import { noon } from './play.ts';

const dayMs = 86_400_000;

/** Two dozen sessions of three days and two products, one of them tried on more, with bounces, ties and shades tried again. */
export const shop: readonly AccountSession[] = Array.from({ length: 24 }, (_, n) => {
  const createdMs = noon - (n % 3) * dayMs - n * 60_000;
  const product = n % 3 === 1 ? 'other' : 'told';
  const acts = Array.from(
    { length: product === 'other' ? 2 + (n % 4) : n % 3 },
    (_unused, k): AccountAct => ({
      type: 'shade_selected',
      sku: 'ABCDE'.charAt((n + k * (n % 2)) % 5),
      atMs: createdMs + k * 1_000,
    }),
  );
  const cart: AccountAct[] = n % 4 === 1 ? [{ type: 'cart_intent', sku: 'A', atMs: createdMs + 9_000 }] : [];
  return { product, createdMs, acts: [...acts, ...cart] };
});
