import type { Verdict } from '../verdict.ts';
import type { Bounds } from './expectation.ts';
import { boundsText, numberText } from './explain.ts';
import { fitTopShades, within } from './fit.ts';
import type { Answer, Query } from './questions.ts';
import type { AnalyticsTable, AnswerRow } from './table.ts';

/** Relations between answers: the filter filters, products add up, the same question gets the same answer. */

/** A judgement on one relation, with the requests that show it. */
export interface Relation {
  readonly verdict: Verdict;
  readonly explanation: string;
  readonly seqs: readonly number[];
}

/** An unfiltered answer with the filtered ones of the same key and period. */
interface Family {
  readonly whole: AnswerRow | undefined;
  readonly products: readonly AnswerRow[];
}

/** Families of the last answers to each query, so that re-reads are not counted twice. */
function families(rows: readonly AnswerRow[]): Family[] {
  const last = new Map(rows.map((row) => [row.query.index, row]));
  const groups = Map.groupBy(last.values(), ({ query }) =>
    JSON.stringify([query.credential, query.startDate, query.endDate]),
  );
  return [...groups.values()].map((group) => ({
    whole: group.find((row) => row.query.productId === null),
    products: group.filter((row) => row.query.productId !== null),
  }));
}

/** Every product's answer is about that product: no field of it carries the number of a larger population. */
export function judgeProductFilter(table: AnalyticsTable): Relation {
  const telling: AnswerRow[] = [];
  const unfiltered: { row: AnswerRow; fields: string[] }[] = [];
  const otherwise: AnswerRow[] = [];
  const doubtful: AnswerRow[] = [];
  for (const { whole, products } of families(table.rows)) {
    for (const row of products) {
      const fields = whole === undefined ? [] : carriedOver(table, row, whole);
      const expected = row.totalSessions.expected;
      const outside = whole?.totalSessions.expected?.min ?? Number.POSITIVE_INFINITY;
      if (fields.length > 0) unfiltered.push({ row, fields });
      else if (row.totalSessions.verdict === 'fail' || row.topShades.verdict === 'fail') otherwise.push(row);
      else if (row.totalSessions.verdict === 'inconclusive') doubtful.push(row);
      else if (expected !== null && expected.max < outside) telling.push(row);
    }
  }
  const seqs = (rows: readonly AnswerRow[]): number[] => rows.map((row) => row.seq);
  const asked = telling.length + unfiltered.length + otherwise.length + doubtful.length;
  if (unfiltered.length > 0) {
    const shown = unfiltered
      .slice(0, 3)
      .map(({ row, fields }) => `${row.query.label}: ${fields.join(', ')}`)
      .join('; ');
    return {
      verdict: 'fail',
      explanation: `product_id is not applied: ${unfiltered.length} answers for one product carry the numbers of all products (${shown}).`,
      seqs: seqs(unfiltered.map(({ row }) => row)),
    };
  }
  if (otherwise.length > 0) {
    const wholeIsWrong = table.rows.some(
      (row) =>
        row.query.productId === null &&
        (row.totalSessions.verdict === 'fail' || row.topShades.verdict === 'fail'),
    );
    return {
      verdict: wholeIsWrong ? 'inconclusive' : 'fail',
      explanation: wholeIsWrong
        ? `${otherwise.length} answers for one product are wrong, but so is the one for all products: see the fields.`
        : `${otherwise.length} answers for one product are wrong, while that for all products is not: ${otherwise
            .slice(0, 3)
            .map((row) => `${row.query.label}: ${row.totalSessions.explanation ?? row.topShades.explanation}`)
            .join('; ')}.`,
      seqs: seqs(otherwise),
    };
  }
  if (doubtful.length > 0)
    return {
      verdict: 'inconclusive',
      explanation: `${doubtful.length} answers for one product cannot be judged: ${doubtful[0]?.totalSessions.explanation ?? ''}.`,
      seqs: seqs(doubtful),
    };
  if (telling.length === 0)
    return {
      verdict: 'inconclusive',
      explanation:
        asked === 0
          ? 'No answer for one product whose sessions differ from those of all products: a filter that is ignored would not show.'
          : 'No answer could be judged.',
      seqs: [],
    };
  return {
    verdict: 'pass',
    explanation: `${telling.length} answers for one product count that product's sessions and shades alone.`,
    seqs: [],
  };
}

/** Fields in which an answer for one product is wrong and equals, or fits, what all products have. */
function carriedOver(table: AnalyticsTable, row: AnswerRow, whole: AnswerRow): string[] {
  const decimals = 9;
  const fields: string[] = [];
  const same = (own: AnswerRow['avgShadesPerSession'], other: AnswerRow['avgShadesPerSession']): boolean =>
    own.verdict === 'fail' &&
    own.returned !== null &&
    own.returned !== 0 &&
    ((other.returned !== null && within(own.returned, point(other.returned), decimals)) ||
      (other.verdict === 'pass' &&
        other.expected !== null &&
        within(own.returned, other.expected, decimals)));
  if (same(row.totalSessions, whole.totalSessions)) fields.push('total_sessions');
  if (same(row.avgShadesPerSession, whole.avgShadesPerSession)) fields.push('avg_shades_per_session');
  if (same(row.cartIntentRate, whole.cartIntentRate)) fields.push('cart_intent_rate');
  if (row.topShades.verdict === 'fail' && (row.topShades.returned?.length ?? 0) > 0) {
    const chosen = table.search?.chosen.evaluation;
    const place = table.rows.indexOf(whole);
    const expectation = chosen?.of.expectations[place];
    const around = chosen?.of.circumstances[place];
    const list = row.topShades.returned;
    const identical = JSON.stringify(list) === JSON.stringify(whole.topShades.returned);
    const fits =
      expectation !== undefined &&
      around !== undefined &&
      fitTopShades(list, expectation, chosen?.topLength, around).fit === 'fits';
    if (identical || fits) fields.push('top_shades');
  }
  return fields;
}

function point(value: number): Bounds {
  return { min: value, max: value };
}

/** Products add up to the whole, above what the account held before: totals exactly, means weighted, selections by SKU. */
export function judgeAdditivity(table: AnalyticsTable, decimals: number): Relation {
  const sums = families(table.rows).filter(
    ({ whole, products }) => whole !== undefined && products.length > 0,
  );
  const broken: string[] = [];
  const doubtful: string[] = [];
  const seqs: number[] = [];
  let judged = 0;
  for (const { whole, products } of sums) {
    if (whole === undefined || whole.totalSessions.returned === null) continue;
    const place = table.rows.indexOf(whole);
    const around = table.search?.chosen.evaluation.of.circumstances[place];
    if (around === undefined) continue;
    const readable = products.every((row) => row.totalSessions.returned !== null);
    if (!readable || !whole.timely || !products.every((row) => row.timely)) {
      doubtful.push(`${whole.query.label}: not every answer was readable and asked late enough`);
      continue;
    }
    judged++;
    const before = around.population.prior;
    const sum = total(products, (row) => row.totalSessions.returned);
    // Products that were not asked about may hold what the expectations leave over.
    const rest = {
      min:
        (whole.totalSessions.expected?.min ?? 0) -
        before.sessions -
        total(products, (row) => row.totalSessions.expected?.min ?? 0),
      max:
        (whole.totalSessions.expected?.max ?? 0) -
        before.sessions -
        total(products, (row) => row.totalSessions.expected?.max ?? 0),
    };
    const difference = whole.totalSessions.returned - before.sessions;
    const least = sum + Math.max(0, Math.min(rest.min, rest.max));
    const most = sum + Math.max(0, rest.min, rest.max);
    const faults: string[] = [];
    if (difference < least || (difference > most && around.population.kind === 'closed'))
      faults.push(
        `total_sessions is ${difference} for all products${before.sessions > 0 ? ` above the ${before.sessions} from before` : ''}, the products add up to ${boundsText({ min: least, max: most })}`,
      );
    else if (difference > most)
      doubtful.push(
        `${whole.query.label}: ${difference} sessions, ${difference - most} more than the products have; ${around.population.openBecause}`,
      );
    else if (most === sum && around.acts !== 'unknown') {
      faults.push(...weightedFaults(table, whole, products, before, decimals));
    }
    faults.push(
      ...shadeFaults(
        whole,
        products,
        around.population.kind === 'closed' && before.sessions === 0 && most === sum,
      ),
    );
    if (faults.length > 0) {
      broken.push(`${whole.query.label}: ${faults.slice(0, 3).join('; ')}`);
      seqs.push(whole.seq, ...products.map((row) => row.seq));
    }
  }
  if (broken.length > 0) return { verdict: 'fail', explanation: `${broken.join('. ')}.`, seqs };
  if (doubtful.length > 0)
    return { verdict: 'inconclusive', explanation: `${doubtful.join('. ')}.`, seqs: [] };
  if (judged === 0)
    return {
      verdict: 'inconclusive',
      explanation: 'There is no unfiltered answer with answers for single products beside it.',
      seqs: [],
    };
  return {
    verdict: 'pass',
    explanation:
      'Over the products, sessions add up, means recombine by weight, and selections add up by SKU.',
    seqs: [],
  };
}

/** Means over all sessions recombine weighted by sessions, up to the rounding of each. */
function weightedFaults(
  table: AnalyticsTable,
  whole: AnswerRow,
  products: readonly AnswerRow[],
  before: { readonly sessions: number; readonly average: Bounds | null; readonly rate: Bounds | null },
  decimals: number,
): string[] {
  const chosen = table.search?.chosen;
  const sessions = whole.totalSessions.returned ?? 0;
  if (chosen === undefined || sessions === 0) return [];
  const half = 0.5 * 10 ** -decimals;
  const faults: string[] = [];
  const recombine = (
    name: string,
    prior: Bounds | null,
    field: 'avgShadesPerSession' | 'cartIntentRate',
  ): void => {
    const value = whole[field].returned;
    if (value === null || products.some((row) => row[field].returned === null)) return;
    if (before.sessions > 0 && prior === null) return;
    const weighted = total(products, (row) => (row[field].returned ?? 0) * (row.totalSessions.returned ?? 0));
    const weight = total(products, (row) => row.totalSessions.returned ?? 0);
    const bounds = {
      min: (weighted - weight * half + before.sessions * (prior?.min ?? 0)) / sessions,
      max: (weighted + weight * half + before.sessions * (prior?.max ?? 0)) / sessions,
    };
    if (!within(value, bounds, decimals))
      faults.push(
        `${name} is ${numberText(value)} for all products, the products recombine to ${boundsText(bounds)}`,
      );
  };
  // Over sessions with a shade alone the weights are not in the answers.
  if (chosen.average.endsWith('/all'))
    recombine('avg_shades_per_session', before.average, 'avgShadesPerSession');
  if (chosen.rate === 'cart/all') recombine('cart_intent_rate', before.rate, 'cartIntentRate');
  return faults;
}

/** What the products list for a SKU is at most what the whole lists; exactly that where no list can have cut it off. */
function shadeFaults(whole: AnswerRow, products: readonly AnswerRow[], complete: boolean): string[] {
  const list = whole.topShades.returned;
  if (list === null || products.some((row) => row.topShades.returned === null)) return [];
  const sums = new Map<string, number>();
  const longest = Math.max(list.length, ...products.map((row) => row.topShades.returned?.length ?? 0));
  for (const row of products)
    for (const { sku, selections } of row.topShades.returned ?? [])
      sums.set(sku, (sums.get(sku) ?? 0) + selections);
  const faults: string[] = [];
  for (const { sku, selections } of list) {
    const sum = sums.get(sku) ?? 0;
    const cutOff = products.some(
      (row) =>
        (row.topShades.returned?.length ?? 0) >= longest &&
        !row.topShades.returned?.some((shade) => shade.sku === sku),
    );
    if (sum > selections || (complete && !cutOff && sum < selections))
      faults.push(`${sku} has ${selections} selections for all products, ${sum} over the products`);
  }
  const last = list.at(-1)?.selections ?? 0;
  for (const [sku, sum] of sums)
    if (sum > last && !list.some((shade) => shade.sku === sku))
      faults.push(`${sku} has ${sum} selections over the products, but is not listed for all products`);
  return faults;
}

function total(rows: readonly AnswerRow[], of: (row: AnswerRow) => number | null): number {
  return rows.reduce((sum, row) => sum + (of(row) ?? 0), 0);
}

/** The same question, nothing having happened in between, gets the same answer, order included. */
export function judgeStable(table: AnalyticsTable): Relation {
  const { judged, early, queries } = table.questions;
  const settled = new Set(table.rows.filter((row) => row.timely).map((row) => row.seq));
  let same = 0;
  const changed: string[] = [];
  const seqs: number[] = [];
  let doubtful = 0;
  for (const query of queries) {
    const reads = judged.filter((answer) => answer.query === query.index && settled.has(answer.seq));
    const [first] = reads;
    if (first === undefined) continue;
    const other = reads.find((answer) => fieldsText(answer) !== fieldsText(first));
    // An early answer that is already complete is a read of the same data; one that differs may have been on its way.
    const before = early.filter((answer) => answer.query === query.index);
    if (other !== undefined && open(table, first) === false) {
      changed.push(`${query.label}: ${changeText(first, other)}`);
      seqs.push(first.seq, other.seq);
    } else if (other !== undefined) doubtful++;
    else if (reads.length > 1 || before.some((answer) => fieldsText(answer) === fieldsText(first))) same++;
    else doubtful++;
  }
  if (changed.length > 0)
    return {
      verdict: 'fail',
      explanation: `The same query was answered differently though nothing happened in between: ${changed.slice(0, 3).join('; ')}.`,
      seqs,
    };
  if (same === 0)
    return {
      verdict: 'inconclusive',
      explanation:
        doubtful === 0
          ? 'No query was answered after the freshness bound.'
          : 'No query was answered twice on what is certainly the same data.',
      seqs: [],
    };
  return {
    verdict: 'pass',
    explanation: `${same} queries were answered alike each time they were asked, order of top_shades included.`,
    seqs: [],
  };
}

function open(table: AnalyticsTable, answer: Answer): boolean {
  return table.rows.find((row) => row.seq === answer.seq)?.population === 'open';
}

function fieldsText({ returned }: Answer): string {
  return JSON.stringify(returned);
}

function changeText(a: Answer, b: Answer): string {
  const skus = (answer: Answer): string =>
    JSON.stringify(answer.returned.topShades?.map((shade) => shade.sku));
  const names = (['period', 'totalSessions', 'avgShadesPerSession', 'cartIntentRate'] as const).filter(
    (name) => a.returned[name] !== b.returned[name],
  );
  if (names.length > 0)
    return names.map((name) => `${name} ${a.returned[name]}, then ${b.returned[name]}`).join(', ');
  const counts = (answer: Answer): string =>
    JSON.stringify(answer.returned.topShades?.map((shade) => shade.selections));
  return counts(a) === counts(b) && skus(a) !== skus(b)
    ? 'shades with equally many selections changed places in top_shades'
    : 'top_shades changed';
}

/** How soon the answers were right: from the early answers and the judged ones, in words. */
export function freshnessText(
  { questions, facts }: AnalyticsTable,
  earlyFits: (early: Answer, final: Answer, query: Query) => boolean,
): string {
  const { early, judged, queries } = questions;
  const lastNs = facts.lastActNs;
  if (lastNs === null || early.length === 0) return 'Freshness was not measured: no query was asked early.';
  let immediate = 0;
  let later = 0;
  let firstNs = Number.POSITIVE_INFINITY;
  let latestNs = 0;
  for (const query of queries) {
    const final = judged.findLast((answer) => answer.query === query.index);
    const first = early.find((answer) => answer.query === query.index);
    if (final === undefined || first === undefined) continue;
    firstNs = Math.min(firstNs, first.sentNs);
    latestNs = Math.max(latestNs, final.sentNs);
    if (earlyFits(first, final, query)) immediate++;
    else later++;
  }
  const seconds = (ns: number): string => `${((ns - lastNs) / 1e9).toFixed(1)} s`;
  if (immediate + later === 0)
    return 'Freshness was not measured: no query was answered both early and late.';
  if (later === 0)
    return `Everything was already visible when first asked, ${seconds(firstNs)} after the last act.`;
  return `${immediate} of ${immediate + later} queries were complete when first asked, ${seconds(firstNs)} after the last act; the others were by ${seconds(latestNs)} at the latest.`;
}
