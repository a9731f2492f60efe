import { z } from 'zod';
import { counted, number } from '../../amounts.ts';
import type { AnswerRow } from '../../checks/analytics/compare/answer-row.ts';
import type { QueryAnswer } from '../../checks/analytics/record/questions.ts';
import { type AnalyticsTable, analyticsTable } from '../../checks/analytics/results/table.ts';
import { mergeVerdicts, type Shown, type Verdict } from '../../checks/core/verdict.ts';
import { reasonText } from '../../checks/reasons/reason.ts';
import type { History } from '../../history/history.ts';
import type { RunInfo } from '../../history/run.ts';
import { ofParameter } from '../../history/tables.ts';
import type { Bounds } from '../../vocabulary/bounds.ts';
import {
  atNs,
  badge,
  code,
  details,
  foreign,
  lines,
  link,
  long,
  nothing,
  paragraph,
  quiet,
  type ReportFigure,
  type TableRow,
  type Text,
  t,
  table,
} from '../figure.ts';
import { nothingIf, type Section } from '../section.ts';
import { intervalText } from '../shown.ts';

/** Whether the run's shoppers give expected values for analytics: true wherever there was a load. */
export function asksForOwnShoppers({ checks, phases }: RunInfo): boolean {
  return checks.includes('analytics') && phases.length > 0;
}

/** Answers that the page shows; those that differ come first. */
const mostAnswers = 200;

/** How many answers differ from their expected values, with a link to them. */
export function agreement(rows: readonly AnswerRow[]): ReportFigure {
  const differing = rows.filter((row) => worst(row) === 'fail').length;
  const all = counted(rows.length, 'answer');
  return paragraph(
    differing === 0
      ? `None of ${all} contradicts the record of this run.`
      : t`${link('#analytics-answers', `${number(differing)} of ${all}`)} contradict the record of this run.`,
  );
}

/** Answers field by field, expected and returned; fields that agree are folded away. */
export function answersPart(
  rows: readonly AnswerRow[],
  run: RunInfo,
  judged: readonly QueryAnswer[],
): (ReportFigure | undefined)[] {
  const names = new Map(run.products.map(({ id, name }) => [id, name]));
  const sentNs = new Map(judged.map((answer) => [answer.seq, answer.sentNs]));
  const unlikeFirst = rows.toSorted((a, b) => Number(worst(a) === 'pass') - Number(worst(b) === 'pass'));
  const fields = unlikeFirst
    .slice(0, mostAnswers)
    .flatMap((row) => fieldsOf(row).map((field) => ({ ...field, row })));
  const answers = (caption: string, own: typeof fields): ReportFigure =>
    table(
      caption,
      own,
      [
        ['Query', ({ row }, at) => own[at - 1]?.row !== row && queryCell(row, names)],
        ['Field', ({ name }) => name],
        ['Expected', ({ expected }) => ({ span: 'value', value: expected })],
        ['Returned', ({ returned }) => ({ span: 'value', value: returned })],
        [
          'Verdict',
          ({ cell }) =>
            cell.reasons.length === 0
              ? badge(cell.verdict)
              : lines(badge(cell.verdict), long(foreign(cell.reasons.map(reasonText).join(' ')))),
        ],
      ],
      (field) => ({
        time: atNs(sentNs.get(field.row.seq)),
        look: looks[field.cell.verdict],
        id: fields.find(({ row }) => row === field.row) === field ? `answer-${field.row.seq}` : undefined,
      }),
    );
  const unlike = fields.filter(({ cell }) => cell.verdict !== 'pass');
  const alike = fields.filter(({ cell }) => cell.verdict === 'pass');
  return [
    paragraph(
      'The expected value is an interval where a request has no answer, or a clock leaves the day of a session open.',
    ),
    unlike.length === 0 ? undefined : answers('Fields that are not as expected, by query', unlike),
    alike.length === 0
      ? undefined
      : details(
          `${counted(alike.length, 'field')} as expected`,
          answers('Fields as expected, by query', alike),
        ),
    rows.length > mostAnswers
      ? nothing(`and ${counted(rows.length - mostAnswers, 'more answer')}, in verdicts.json.`)
      : undefined,
  ];
}

const looks: Readonly<Record<Verdict, TableRow['look']>> = {
  fail: 'differs',
  inconclusive: 'unsure',
  pass: undefined,
};

function fieldsOf(row: AnswerRow) {
  const { avgShadesPerSession, cartIntentRate, period, topShades, totalSessions } = row;
  const shades = topShades.returned;
  const bounded = (
    name: string,
    cell: typeof totalSessions | typeof avgShadesPerSession,
  ): { name: string; cell: typeof cell; expected: Shown; returned: Shown } => ({
    name,
    cell,
    expected: cell.expected && { min: rounded(cell.expected.min), max: rounded(cell.expected.max) },
    returned: cell.returned,
  });
  return [
    { name: 'period', cell: period, expected: period.expected, returned: period.returned },
    bounded('total_sessions', totalSessions),
    bounded('avg_shades_per_session', avgShadesPerSession),
    bounded('cart_intent_rate', cartIntentRate),
    {
      name: 'top_shades',
      cell: topShades,
      expected: 'see Top shades',
      returned: shades === null ? null : counted(shades.length, 'shade'),
    },
  ];
}

/** Means come as long fractions; six decimals are more than any answer has to have. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

function worst(row: AnswerRow): Verdict {
  return mergeVerdicts(fieldsOf(row).map(({ cell }) => cell.verdict));
}

function queryCell({ query, timely }: AnswerRow, names: ReadonlyMap<string, string>): Text {
  const { label, productId } = query;
  const name = productId === null ? undefined : names.get(productId);
  return lines(
    ...(name === undefined ? [] : [foreign(name)]),
    productId === null ? foreign(label) : code(label),
    ...(timely ? [] : [quiet('asked before the freshness bound had passed')]),
  );
}

/** Lists that the page shows, and entries of one list. */
const mostLists = 50;
const mostEntries = 25;

/** The lists of top_shades beside what could have been selected, with names and colours from the catalog. */
export const shadesSection: Section = {
  id: 'shades',
  title: 'Top shades',
  isFolded: true,
  make: async ({ history }) => {
    const lists = shadeLists(await analyticsTable(history), history);
    const [first, ...others] = lists;
    if (first === undefined)
      return nothingIf(asksForOwnShoppers(history.run), 'No analytics answer listed any top_shades.');
    const known = await catalogShades(history, lists);
    return [
      paragraph(
        t`The last list that ${code('GET /analytics/sessions')} returned for each query. The expected selections follow from the events that this run sent.`,
      ),
      shadeTable(first, known),
      ...others
        .slice(0, mostLists - 1)
        .map((list) =>
          details(
            t`${list.verdict !== undefined && badge(list.verdict)} ${foreign(list.name)}`,
            shadeTable(list, known),
          ),
        ),
      others.length >= mostLists
        ? nothing(`and ${counted(others.length - mostLists + 1, 'more list')}, in history/answers.ndjson.`)
        : undefined,
    ];
  },
};

interface ShadeList {
  readonly name: string;
  readonly returned: NonNullable<AnalyticsTable['questions']['judged'][number]['returned']['topShades']>;
  readonly verdict: Verdict | undefined;
  readonly expected: ReadonlyMap<string, Bounds> | undefined;
  /** Selections; all products come first. */
  readonly order: number;
}

/** The last list of each query that has one: all products first, then the products with most selections. */
function shadeLists({ questions, rows }: AnalyticsTable, history: History): ShadeList[] {
  const products = new Map(history.run.products.map((product) => [product.id, product.name]));
  const last = new Map(questions.judged.map((answer) => [answer.query, answer]));
  return [...last.values()]
    .flatMap((answer): ShadeList[] => {
      const query = questions.queries[answer.query];
      const returned = answer.returned.topShades;
      if (query === undefined || returned === null || returned.length === 0) return [];
      const cell = rows.find((row) => row.seq === answer.seq)?.topShades;
      const product = query.productId === null ? undefined : products.get(query.productId);
      return [
        {
          name: product === undefined ? query.label : `${product} (${query.label})`,
          returned,
          verdict: cell?.verdict,
          expected:
            cell?.expected == null ? undefined : new Map(cell.expected.map((bounds) => [bounds.sku, bounds])),
          order:
            query.productId === null
              ? Number.POSITIVE_INFINITY
              : returned.reduce((sum, shade) => sum + shade.selections, 0),
        },
      ];
    })
    .toSorted((a, b) => (a.order === b.order ? 0 : b.order - a.order));
}

const shadeRow = z.object({ sku: z.string(), name: z.string().nullable(), hex: z.string().nullable() });
type KnownShades = ReadonlyMap<string, z.output<typeof shadeRow>>;

async function catalogShades(history: History, lists: readonly ShadeList[]): Promise<KnownShades> {
  const skus = lists
    .slice(0, mostLists)
    .flatMap(({ returned }) => returned.slice(0, mostEntries).map(({ sku }) => sku));
  const rows = await history.rows(
    shadeRow,
    `SELECT sku, any_value(name) AS name, any_value(hex) AS hex FROM catalog
     WHERE sku IN ${ofParameter('skus')} GROUP BY sku`,
    { skus: JSON.stringify([...new Set(skus)]) },
  );
  return new Map(rows.map((row) => [row.sku, row]));
}

function shadeTable({ expected, name, returned }: ShadeList, known: KnownShades): ReportFigure {
  const more = returned.length - mostEntries;
  const expectedText = (sku: string): string => {
    const bounds = expected?.get(sku);
    if (expected === undefined) return '—';
    return bounds === undefined ? 'none' : intervalText(bounds);
  };
  return table(more > 0 ? `${name}, and ${number(more)} more` : name, returned.slice(0, mostEntries), [
    ['Place', (_, index) => String(index + 1), 'number'],
    ['Shade', ({ sku }) => shadeCell(known.get(sku))],
    ['SKU', ({ sku }) => code(sku)],
    ['Selections expected', ({ sku }) => expectedText(sku), 'number'],
    ['Selections returned', ({ selections }) => number(selections), 'number'],
  ]);
}

function shadeCell(shade: z.output<typeof shadeRow> | undefined): Text {
  if (shade === undefined) return quiet('not in this run’s catalogs');
  const { hex, name } = shade;
  return t`${hex !== null && { span: 'colour', hex }}${name !== null && foreign(name)} ${hex !== null && quiet(code(hex))}`;
}
