import { usageError } from '../../exit.ts';
import { heading, table } from '../../report/figure.ts';
import { figureLines } from '../../report/figure-terminal.ts';
import { type Alterations, compose } from '../../service/alterations.ts';
import { defectGroups, defects } from '../../service/defects/catalogue.ts';
import { variants } from '../../service/variants.ts';
import { meantText } from '../../vocabulary/closest.ts';

/** In what the service is to differ from the reference service. */
export interface Altered {
  readonly alterations: Alterations;
  /** One line for each defect and variant. */
  readonly titles: readonly string[];
}

/**
 * Reads `--defect` and `--variant`, each of which may be given several times and may name several, with commas between
 * them. Throws a usage error that names what there is.
 */
export function readAlterations(argv: {
  readonly defect?: readonly string[] | undefined;
  readonly variant?: readonly string[] | undefined;
}): Altered {
  const planted = find('--defect', argv.defect, new Map(defects.map((each) => [each.id, each])));
  const varied = find('--variant', argv.variant, new Map(variants.map((each) => [each.name, each])));
  return {
    alterations: compose([...varied, ...planted].map(({ alterations }) => alterations)),
    titles: [
      ...planted.map(({ id, title }) => `${id}: ${title}`),
      ...varied.map(({ name, title }) => `${name}: ${title}`),
    ],
  };
}

function find<Item>(
  option: string,
  texts: readonly string[] | undefined,
  known: ReadonlyMap<string, Item>,
): Item[] {
  const names = new Set(texts?.flatMap((text) => text.split(',')));
  const unknown = [...names].find((name) => !known.has(name));
  if (unknown !== undefined) {
    // The ids of defects are so short that none is likelier to be meant than others.
    const meant = unknown.length > 3 ? meantText(unknown, [...known.keys()]) : '';
    throw usageError(
      `${option}: there is no ${JSON.stringify(unknown)}${meant} (tryon serve --list-defects lists all)`,
    );
  }
  // Not in the order of the command line: what replaces a part stands before what wraps it.
  return [...known].filter(([name]) => names.has(name)).map(([, item]) => item);
}

/** What can be planted, without the code of it, in the order of the groups. */
export const listedDefects = Object.entries(defectGroups).flatMap(([group, members]) =>
  members.map(({ id, grade, title }) => ({ id, grade, group, title })),
);
export const listedVariants = variants.map(({ name, title }) => ({ name, title }));

/** The names that an option takes. */
export function alterationNames(option: 'defect' | 'variant'): readonly string[] {
  return option === 'defect' ? listedDefects.map(({ id }) => id) : listedVariants.map(({ name }) => name);
}

/** One line: `{"defects":[{"id","grade","group","title"}],"variants":[{"name","title"}]}`. */
export function listAsJson(): string {
  return `${JSON.stringify({ defects: listedDefects, variants: listedVariants })}\n`;
}

/** Lines of at most `columns` columns; one line each by default. */
export function listAsText(columns = Number.POSITIVE_INFINITY): string {
  const figures = [
    table('Defects', listedDefects, [
      ['id', ({ id }) => id],
      ['grade', ({ grade }) => grade],
      ['group', ({ group }) => group],
      ['defect', ({ title }) => title],
    ]),
    heading(''),
    table('Variants', listedVariants, [
      ['name', ({ name }) => name],
      ['variant', ({ title }) => title],
    ]),
  ];
  return `${figureLines(figures, columns).join('\n')}\n`;
}
