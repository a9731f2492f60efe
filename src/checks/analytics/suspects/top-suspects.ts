import type { History } from '../../../history/history.ts';
import type { TopShade } from '../../../wire.ts';
import { fits, type Suspect } from '../../causes/cause.ts';
import { fitTopShades } from '../compare/fit.ts';
import { type SuspectHypothesis, wrongRows } from '../compare/hypothesis.ts';
import type { AnswerRow } from '../compare/rows.ts';
import type { AnalyticsTable } from '../compare/table.ts';
import type { Expectation } from '../expect/expectation.ts';
import { unlikePromised } from './told.ts';
import { repeatsIn } from './value-suspects.ts';

type TopList = readonly TopShade[];

/** Lists of shades that would be right but for one thing, which they all have. */
export function topHypotheses(history: History, table: AnalyticsTable): SuspectHypothesis[] {
  const wrong = wrongRows(table, 'top_shades');
  const [first] = wrong;
  if (first === undefined) return [];
  const anyLength = { most: undefined, due: undefined };
  const lengths = table.search?.chosen.evaluation.topLengths ?? anyLength;
  /** Whether every list is right once it, or what it has to be, is put right. */
  const areRight = (
    repaired: (list: TopList) => TopList,
    expected: (expectation: Expectation, list: TopList) => Expectation,
    of: typeof lengths,
  ): boolean =>
    wrong.every((row) => {
      const place = table.rows.indexOf(row);
      const { circumstances, expectations } = table.search?.chosen.evaluation.of ?? {};
      const [around, expectation] = [circumstances?.[place], expectations?.[place]];
      if (around === undefined || expectation === undefined) return false;
      const list = row.topShades.returned ?? [];
      return fitTopShades(repaired(list), expected(expectation, list), of, around).fit === 'fits';
    });
  const same = <T>(each: T): T => each;
  const seqs = wrong.map(({ seq }) => seq);
  const suspects: (Suspect | undefined)[] = [
    areRight(same, withCopies, lengths)
      ? fits('repeats-counted', { repeated: Math.max(...wrong.map(repeatsIn)) }, seqs)
      : undefined,
    areRight(eachSkuOnce, same, anyLength) ? twice(first, seqs) : undefined,
    areRight(sorted, listedAlone, lengths) ? misplaced(wrong, seqs) : undefined,
    // A list that is only shorter leaves averages right; events that are missing do not.
    areRight(same, same, anyLength) &&
    wrong.every(({ avgShadesPerSession }) => avgShadesPerSession.verdict !== 'fail')
      ? cut(history, first, lengths.most, seqs)
      : undefined,
  ];
  return suspects.flatMap((suspect) => (suspect === undefined ? [] : [{ suspect, fields: ['top_shades'] }]));
}

function withCopies(expectation: Expectation): Expectation {
  const shades = expectation.shades.map((shade) => ({ ...shade, max: Math.max(shade.max, shade.copies) }));
  return { ...expectation, shades };
}

/** What would be due if there were no other shades: for lists whose numbers are right. */
function listedAlone(expectation: Expectation, list: TopList): Expectation {
  const skus = new Set(list.map(({ sku }) => sku));
  return { ...expectation, shades: expectation.shades.filter(({ sku }) => skus.has(sku)) };
}

function eachSkuOnce(list: TopList): TopList {
  return list.filter(({ sku }, place) => list.findIndex((shade) => shade.sku === sku) === place);
}

function sorted(list: TopList): TopList {
  return list.toSorted((a, b) => b.selections - a.selections);
}

function twice({ topShades: { returned } }: AnswerRow, seqs: readonly number[]): Suspect | undefined {
  const list = returned ?? [];
  const again = list.find(({ sku }, place) => list.findIndex((shade) => shade.sku === sku) < place);
  return again && fits('shade-listed-twice', { sku: again.sku }, seqs);
}

/** A shade that comes after one with fewer selections, or else one that is not even listed. */
function misplaced(wrong: readonly AnswerRow[], seqs: readonly number[]): Suspect | undefined {
  const lists = wrong.map(({ topShades: { expected, returned } }) => ({
    list: returned ?? [],
    expected: expected ?? [],
  }));
  const [placed] = lists.flatMap(({ list }) =>
    list.flatMap((shade, place) => {
      const before = list[place - 1]?.selections ?? Number.POSITIVE_INFINITY;
      return shade.selections > before ? fits('top-shades-unsorted', { ...shade, before }, seqs) : [];
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
      : fits('top-shades-unsorted', { sku: shade.sku, selections: shade.min, before, isMissing: true }, seqs);
  });
  return placed ?? missing;
}

function cut(
  history: History,
  { topShades: { expected, returned } }: AnswerRow,
  most: number | undefined,
  seqs: readonly number[],
): Suspect {
  const length = returned?.length ?? 0;
  const due = (expected ?? []).filter(({ min }) => min > 0).length;
  return unlikePromised(history, { convention: 'top_shades', found: String(length), seqs }, () =>
    fits('top-shades-cut', { returned: length, expected: Math.min(most ?? due, Math.max(due, 1)) }, seqs),
  );
}
