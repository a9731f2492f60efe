import type { ApiCall } from './call.ts';
import type { AnswerDifference } from './compare.ts';
import type { ExpectedAnalytics, MeanWays } from './expected.ts';
import type { Model } from './stages.ts';
import type { World } from './world.ts';

/** How the means and the top shades of an answer differ from all that they may be; and what they settle, where they do not. */
export function judgeAnalytics(
  model: Model,
  world: World,
  call: ApiCall,
  { means, shades }: ExpectedAnalytics,
  fields: Readonly<Record<string, unknown>>,
): readonly AnswerDifference[] {
  return [
    ...means.flatMap((mean) => judgeMean(model, call, mean, fields[mean.field])),
    ...judgeTop(model, world, shades, fields.top_shades),
  ];
}

/** Accuracy of double-precision arithmetic in another order, relative. */
const relativeSlack = 2 ** -48;

function judgeMean(
  { free, promises }: Model,
  call: ApiCall,
  { field, ways }: MeanWays,
  got: unknown,
): readonly AnswerDifference[] {
  if (typeof got !== 'number') return [];
  const slack = 0.5 * 10 ** -promises.decimals + Math.abs(got) * relativeSlack;
  const allowed = ways.filter(({ given }) => free.allowAll(given));
  const fitting = allowed.filter(({ range: [least, most] }) => got >= least - slack && got <= most + slack);
  if (fitting.length === 0) {
    const all = allowed.flatMap(({ range }) => range);
    const expected = [rounded(Math.min(...all)), rounded(Math.max(...all))];
    return [{ kind: 'number', of: field, expected, got }];
  }
  const options = fitting.flatMap(({ given }) => given);
  for (const freedom of new Set(options.map((each) => each.freedom)))
    free.narrow(
      freedom,
      options.flatMap((each) => (each.freedom === freedom ? each.option : [])),
      call.n,
    );
  return [];
}

const rounded = (value: number): number => Number(value.toFixed(4));

interface ShownTop {
  readonly sku: string;
  readonly selections: number;
}

const isTop = (value: unknown): value is ShownTop =>
  typeof value === 'object' &&
  value !== null &&
  'sku' in value &&
  'selections' in value &&
  typeof value.sku === 'string' &&
  typeof value.selections === 'number';

/** The name under which a difference of the list is told. */
export const topField = 'top_shades';

/** Equally selected shades may stand in any order; only what was selected more often than the last has to be listed. */
function judgeTop(
  { promises }: Model,
  world: World,
  shades: ExpectedAnalytics['shades'],
  got: unknown,
): readonly AnswerDifference[] {
  if (!Array.isArray(got) || !got.every(isTop)) return [];
  const list: readonly ShownTop[] = got;
  const last = list.at(-1)?.selections ?? 0;
  const listed = new Map(list.map(({ selections, sku }) => [sku, selections]));
  const differ = (what: string, expected: unknown, of: unknown): AnswerDifference => ({
    ...{ kind: 'number', of: `${topField}: ${what}`, expected, got: of },
  });
  const found: AnswerDifference[] = [];
  if (listed.size < list.length) found.push(differ('different SKUs', list.length, listed.size));
  const at = list.findIndex((each, place) => each.selections > (list[place - 1]?.selections ?? Infinity));
  const [before, after] = [list[at - 1]?.selections ?? 0, list[at]?.selections];
  if (at > 0) found.push(differ(`selections in place ${at + 1}`, [0, before], after));
  for (const [sku, selections] of listed) {
    const [least, most] = shades.get(sku) ?? [0, 0];
    if (selections < least || selections > most || !Number.isInteger(selections))
      found.push(differ(`selections of ${sku}`, [least, most], selections));
  }
  for (const [sku, [least, most]] of shades)
    if (least > last && !listed.has(sku)) found.push(differ(`selections of ${sku}`, [least, most], 0));
  return found.length > 0 ? found : judgeLength(promises.topShades, world, shades, list, differ);
}

/** How long a list may be is promised, or what all lists of the target agree on: what is cut off, is so at one length. */
function judgeLength(
  promised: number | undefined,
  world: World,
  shades: ExpectedAnalytics['shades'],
  list: readonly ShownTop[],
  differ: (what: string, expected: unknown, of: unknown) => AnswerDifference,
): readonly AnswerDifference[] {
  const { length } = list;
  const sure = [...shades.values()].filter(([least]) => least > 0).length;
  const [knownLeast, knownMost] = world.topLength;
  const least = promised ?? knownLeast;
  if (promised !== undefined && length > promised) return [differ('shades', [0, promised], length)];
  if (length < Math.min(least, sure)) return [differ('shades', [Math.min(least, sure), shades.size], length)];
  // A list may go on while shades have as many selections as the last that is due.
  const lastOf = list.at(-1)?.selections;
  const cut = list.findIndex(({ selections }) => selections === lastOf) + 1;
  if (cut > knownMost) return [differ('shades', [0, knownMost], length)];
  world.topLength = [Math.max(knownLeast, cut), length < sure ? Math.min(knownMost, length) : knownMost];
  return [];
}
