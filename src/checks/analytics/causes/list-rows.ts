import type { Bounds } from '../../../vocabulary/bounds.ts';
import type { TopShade } from '../../../wire.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import type { AnswerRow } from '../compare/answer-row.ts';
import { fitTopShades } from '../compare/fit.ts';
import type { Expectation } from '../expect/expectation.ts';
import { type AnswerEvidence, type HeldAnswer, ofWrong, type Row, unlikePromised } from './row.ts';

type TopList = readonly TopShade[];

/** Lists that would be right but for one thing, which they all have. */
export function listRows(evidence: AnswerEvidence): Row[] {
  const { answers, history, table } = evidence;
  const { top_shades: wrong } = evidence.wrong;
  const [first] = wrong;
  if (first === undefined) return [];
  const anyLength = { most: undefined, due: undefined };
  const lengths = table.search?.chosen.evaluation.topLengths ?? anyLength;
  const { circumstances = [], expectations = [] } = table.search?.chosen.evaluation.of ?? {};
  const row = (
    suspect: Suspect | undefined,
    of: typeof lengths,
    price: number,
    repaired: (list: TopList) => TopList,
    expected: (expectation: Expectation, list: TopList) => Expectation = (each) => each,
    isMeant: (expectation: Expectation, list: TopList) => boolean = () => true,
  ): Row[] =>
    suspect === undefined
      ? []
      : [
          {
            ...{ suspect: () => suspect, fields: ['top_shades'], price },
            fit: ({ place, row: { topShades } }: HeldAnswer) => {
              const [around, expectation] = [circumstances[place], expectations[place]];
              if (around === undefined || expectation === undefined) return 'unknown';
              const list = topShades.returned ?? [];
              if (!isMeant(expectation, list)) return 'misfits';
              return fitTopShades(repaired(list), expected(expectation, list), of, around).fit;
            },
          },
        ];
  const same = (list: TopList): TopList => list;
  // A list that is only shorter leaves averages right; events that are missing do not.
  const areAveragesRight = wrong.every(({ avgShadesPerSession }) => avgShadesPerSession.verdict !== 'fail');
  const length = Math.max(...answers.map(({ row: { topShades } }) => topShades.returned?.length ?? 0));
  const due = Math.max(
    ...wrong.map(({ topShades }) => (topShades.expected ?? []).filter(({ min }) => min > 0).length),
    1,
  );
  return [
    ...row(twice(first), anyLength, 1, eachSkuOnce),
    ...row(misplaced(wrong), lengths, 1, sorted, listedAlone),
    ...row(misplaced(wrong, true), lengths, 0.9, sorted, listedAlone, isSortedAsText),
    ...(areAveragesRight
      ? row(
          unlikePromised(history, 'top_shades', String(length), () =>
            fits('top-shades-cut', { returned: length, expected: Math.min(lengths.most ?? due, due) }),
          ),
          anyLength,
          1,
          same,
        )
      : []),
    ...oneSided(wrong),
  ];
}

const isTextBefore = (one: number, other: number): boolean => String(one) > String(other);

/** Selections that are compared as text, so that 9 comes before 10: before the list is cut, or after it. */
function isSortedAsText({ shades }: Expectation, list: TopList): boolean {
  const unlisted = shades.filter(
    ({ max, min, sku }) => min === max && list.every((each) => each.sku !== sku),
  );
  const last = list.at(-1)?.selections ?? 0;
  const least = Math.min(...list.map(({ selections }) => selections));
  return (
    list.every(({ selections }, at) => !isTextBefore(selections, list[at - 1]?.selections ?? selections)) &&
    (!unlisted.some(({ min }) => isTextBefore(min, last)) || !unlisted.some(({ min }) => min > least))
  );
}

/** What would be due if there were no other shades: for lists whose numbers are right. */
function listedAlone(expectation: Expectation, list: TopList): Expectation {
  const skus = new Set(list.map(({ sku }) => sku));
  return { ...expectation, shades: expectation.shades.filter(({ sku }) => skus.has(sku)) };
}

const eachSkuOnce = (list: TopList): TopList =>
  list.filter(({ sku }, place) => list.findIndex((shade) => shade.sku === sku) === place);

const sorted = (list: TopList): TopList => list.toSorted((a, b) => b.selections - a.selections);

function twice({ topShades: { returned } }: AnswerRow): Suspect | undefined {
  const list = returned ?? [];
  const again = list.find(({ sku }, place) => list.findIndex((shade) => shade.sku === sku) < place);
  return again && fits('shade-listed-twice', { sku: again.sku });
}

/** A shade that comes after one with fewer selections, or else one that is not even listed. */
function misplaced(wrong: readonly AnswerRow[], isAsText = false): Suspect | undefined {
  const how = isAsText ? ({ isAsText } as const) : {};
  const lists = wrong.map(({ topShades: { expected, returned } }) => ({
    list: returned ?? [],
    expected: expected ?? [],
  }));
  const [placed] = lists.flatMap(({ list }) =>
    list.flatMap((shade, place) => {
      const before = list[place - 1]?.selections ?? Number.POSITIVE_INFINITY;
      return shade.selections > before ? fits('top-shades-unsorted', { ...shade, before, ...how }) : [];
    }),
  );
  const [missing] = lists.flatMap(({ expected, list }) => {
    // An empty list leaves out no single shade.
    const before = list.at(-1)?.selections;
    const shade = expected.find(
      ({ min, sku }) => before !== undefined && min > before && list.every((each) => each.sku !== sku),
    );
    return shade === undefined || before === undefined
      ? []
      : fits('top-shades-unsorted', {
          sku: shade.sku,
          selections: shade.min,
          before,
          isMissing: true,
          ...how,
        });
  });
  return placed ?? missing;
}

/** Lists whose wrong numbers are all too high, or all too low: everything else is right. */
function oneSided(rows: readonly AnswerRow[]): Row[] {
  const isRight = ({ avgShadesPerSession, cartIntentRate, totalSessions }: AnswerRow): boolean =>
    [avgShadesPerSession, cartIntentRate, totalSessions].every(({ verdict }) => verdict === 'pass');
  if (!rows.every(isRight)) return [];
  const row = (suspect: Suspect, isValue: (value: number, bounds: Bounds) => boolean): Row => ({
    suspect: () => suspect,
    fields: ['top_shades'],
    price: 3,
    fit: ofWrong(({ topShades: { expected, returned } }) => {
      const bounds = new Map(expected?.map((shade) => [shade.sku, shade]));
      return (returned ?? []).every(({ selections, sku }) =>
        isValue(selections, bounds.get(sku) ?? { min: 0, max: 0 }),
      );
    }),
  });
  return [
    row(fits('selections-counted-twice', {}), (value, { max, min }) => value >= min && value <= 2 * max),
    row(fits('selections-of-lower-ranks-lost', {}), (value, { max }) => value <= max),
  ];
}
