import { counted, number } from '../../amounts.ts';
import type { AnswerRow } from '../../checks/analytics/compare/answer-row.ts';
import type { QueryAnswer } from '../../checks/analytics/record/questions.ts';
import { mergeVerdicts, type Shown, type Verdict } from '../../checks/core/verdict.ts';
import { reasonText } from '../../checks/reasons/reason.ts';
import type { RunInfo } from '../../history/run.ts';
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
  const shades = shadesOf(topShades);
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
    { name: 'top_shades', cell: topShades, ...shades },
  ];
}

/** Entries of a list that the page shows. */
const mostEntries = 10;

/** The selections of each listed SKU that are not as expected; of other lists, how many shades are in them. */
function shadesOf({ expected, returned }: AnswerRow['topShades']): { expected: Shown; returned: Shown } {
  const wanted = new Map(expected?.map(({ max, min, sku }) => [sku, { min, max }]));
  const differing = (returned ?? [])
    .filter(({ selections, sku }) => {
      const { max, min } = wanted.get(sku) ?? { min: 0, max: 0 };
      return expected !== null && (selections < min || selections > max);
    })
    .slice(0, mostEntries);
  if (differing.length === 0)
    return {
      expected: expected && 'the most selected',
      returned: returned && counted(returned.length, 'shade'),
    };
  return {
    expected: Object.fromEntries(differing.map(({ sku }) => [sku, wanted.get(sku) ?? 0])),
    returned: Object.fromEntries(differing.map(({ selections, sku }) => [sku, selections])),
  };
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
