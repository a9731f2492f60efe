import { setImmediate as nextTurn } from 'node:timers/promises';
import v8 from 'node:v8';
import { expect, it } from 'vitest';
import { holdYoungGeneration, warmUp } from '../../src/drive/load/load-here.ts';
import { catalog } from './virtual.ts';

function youngMib(): number {
  const space = v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  return (space?.space_size ?? 0) / 2 ** 20;
}

/** Enough objects that outlive others for V8 to give young ones all the space that there is. */
async function churn(): Promise<void> {
  const kept: unknown[] = [];
  for (let round = 0; round < 600; round++) {
    for (let n = 0; n < 20_000; n++) kept[n % 10_000] = { n, list: [n] };
    await nextTurn();
  }
}

it('the space for young objects stays as it is while it is held, and grows again afterwards', async () => {
  const held = holdYoungGeneration();
  await churn();
  const heldMib = youngMib();
  await churn();
  expect(youngMib()).toBe(heldMib);
  held.stop();
  // V8 grows it when enough objects outlive others at once: not in every churn.
  for (let times = 0; times < 20 && youngMib() <= heldMib; times++) await churn();
  expect(youngMib()).toBeGreaterThan(heldMib);
});

it('the warm-up has every request answered, and is over with its last', async () => {
  expect(await warmUp(catalog)).toBe(200);
});
