import { counted, number } from '../../amounts.ts';
import type { Mutant } from './enumerate.ts';
import { diffOf } from './enumerate.ts';
import { type KnownMutant, knownOf } from './known.ts';
import { operators } from './operators.ts';
import type { TriedMutant } from './try.ts';

const kinds = ['killed', 'survived', 'unreached', 'equivalent', 'invalid'] as const;
type ReportedKind = (typeof kinds)[number];

/** A mutant as it is reported. */
interface Reported {
  readonly mutant: Pick<Mutant, 'id' | 'operator' | 'path' | 'line' | 'name' | 'before' | 'after'>;
  readonly kind: ReportedKind;
  /** Undefined for an equivalent one, which is not tried. */
  readonly tried: TriedMutant | undefined;
  readonly known: KnownMutant | undefined;
}

/** The sampled mutants that were tried or need not be, in the order of the sample. */
export function reportedOf(
  sample: readonly Mutant[],
  results: readonly TriedMutant[],
  known?: readonly KnownMutant[],
): Reported[] {
  const byId = new Map(results.map((each) => [each.id, each]));
  return sample.flatMap((mutant): Reported[] => {
    const about = knownOf(mutant, known);
    const tried = byId.get(mutant.id);
    if (about?.kind === 'equivalent') return [{ mutant, kind: 'equivalent', tried: undefined, known: about }];
    return tried === undefined ? [] : [{ mutant, kind: tried.outcome.kind, tried, known: about }];
  });
}

/** How many of each kind. */
export function countsOf(all: readonly Reported[]): Record<ReportedKind, number> {
  const count = (kind: ReportedKind): number => all.filter((each) => each.kind === kind).length;
  return {
    killed: count('killed'),
    survived: count('survived'),
    unreached: count('unreached'),
    equivalent: count('equivalent'),
    invalid: count('invalid'),
  };
}

/** `Killed 40 of 45 mutants (88.8 %)`, and what does not count. Unreached mutants count as not killed. */
export function totalLine(all: readonly Reported[]): string {
  const { equivalent, invalid, killed, survived, unreached } = countsOf(all);
  const counting = killed + survived + unreached;
  const share = counting === 0 ? '' : ` (${Math.floor((1_000 * killed) / counting) / 10} %)`;
  return `Killed ${killed} of ${counted(counting, 'mutant')}${share}: ${survived} survived, ${unreached} unreached. Not counted: ${equivalent} equivalent, ${invalid} invalid.`;
}

/** Everything as Markdown, for docs/mutants.md. */
export function mutantsTable(
  all: readonly Reported[],
  about: { readonly planned: number; readonly possible: number; readonly seed: number },
): string {
  const of = (kind: ReportedKind): Reported[] => all.filter((each) => each.kind === kind);
  return [
    `${counted(all.length, 'mutant')} of a sample of ${about.planned} (seed ${about.seed}) out of ${number(about.possible)}.`,
    totalLine(all),
    '',
    ...countsTable(
      'Operator',
      all,
      ({ operator }) => operator,
      (operator) => `${operator}: ${describe(operator)}`,
    ),
    ...countsTable(
      'File',
      all,
      ({ path }) => path,
      (path) => `\`${path}\``,
    ),
    ...section('Survived', of('survived'), inFull),
    ...section('Unreached: no run executes the changed code', of('unreached'), inFull),
    ...table(
      'Equivalent: no caller can see the difference',
      ['Mutant', 'Change', 'Why'],
      of('equivalent'),
      ({ known, mutant }) => [mutant.id, change(mutant), known?.text ?? ''],
    ),
    ...table(
      'Invalid: nothing was judged',
      ['Mutant', 'Change', 'Run', 'What happened'],
      of('invalid'),
      invalidRow,
    ),
    ...table('Killed', ['Mutant', 'Change', 'Run', 'First cause', 'Failed checks'], of('killed'), killedRow),
  ].join('\n');
}

function describe(operator: string): string {
  return Object.entries(operators).find(([name]) => name === operator)?.[1] ?? '';
}

function countsTable(
  title: string,
  all: readonly Reported[],
  keyOf: (mutant: Reported['mutant']) => string,
  shown: (key: string) => string,
): string[] {
  const groups = [...Map.groupBy(all, ({ mutant }) => keyOf(mutant))].sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = groups.map(([key, some]) => {
    const counts = countsOf(some);
    return [shown(key), ...kinds.map((kind) => String(counts[kind]))];
  });
  return markdown([title, 'Killed', 'Survived', 'Unreached', 'Equivalent', 'Invalid'], rows);
}

function section(title: string, some: readonly Reported[], shown: (one: Reported) => string[]): string[] {
  return some.length === 0 ? [] : [`### ${title}`, '', ...some.flatMap(shown)];
}

function table(
  title: string,
  head: readonly string[],
  some: readonly Reported[],
  row: (one: Reported) => string[],
): string[] {
  return some.length === 0 ? [] : [`### ${title}`, '', ...markdown(head, some.map(row))];
}

function inFull({ known, mutant, tried }: Reported): string[] {
  const doubts = tried?.outcome.kind === 'survived' ? tried.outcome.inconclusive : [];
  const doubt = doubts.map(({ checks, run }) => `${checks.join(', ')} (${run})`).join('; ');
  const words = [known?.text, doubt === '' ? undefined : `Became inconclusive: ${doubt}.`].filter(Boolean);
  return [
    `**${mutant.id}** ${mutant.operator}, \`${mutant.path}\`${mutant.name === '' ? '' : `, \`${mutant.name}\``}`,
    '',
    '```diff',
    diffOf(mutant),
    '```',
    '',
    ...(words.length === 0 ? [] : [words.join(' '), '']),
  ];
}

function invalidRow({ mutant, tried }: Reported): string[] {
  const outcome = tried?.outcome;
  return [
    mutant.id,
    change(mutant),
    ...(outcome?.kind === 'invalid' ? [outcome.run, outcome.why] : ['', '']),
  ];
}

function killedRow({ mutant, tried }: Reported): string[] {
  const outcome = tried?.outcome;
  if (outcome?.kind !== 'killed') return [mutant.id, change(mutant), '', '', ''];
  const { cause = '', checks, run, text = '' } = outcome;
  const named = cause === '' ? 'none' : `${cause}: ${cut(text, 140)}`;
  const more = checks.length > 3 ? `, and ${checks.length - 3} more` : '';
  return [mutant.id, change(mutant), run, named, `${checks.slice(0, 3).join(', ')}${more}`];
}

/** The changed part of a mutant in one line. */
function change({ after, before, path }: Reported['mutant']): string {
  const oneLine = (text: string): string => cut(text.replaceAll(/\s+/g, ' '), 110);
  return `\`${path}\`: \`${code(oneLine(before))}\` → \`${code(oneLine(after))}\``;
}

function code(text: string): string {
  return text.replaceAll('`', "'");
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line), ''];
}
