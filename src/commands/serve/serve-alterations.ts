import { usageError } from '../../exit.ts';
import { wrap } from '../../report/text.ts';
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
const listedDefects = Object.entries(defectGroups).flatMap(([group, members]) =>
  members.map(({ id, grade, title }) => ({ id, grade, group, title })),
);
const listedVariants = variants.map(({ name, title }) => ({ name, title }));

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
  const defectRows = listedDefects.map(({ id, grade, group, title }) => [id, String(grade), group, title]);
  const variantRows = listedVariants.map(({ name, title }) => [name, title]);
  const defectTable = table([['id', 'grade', 'group', 'defect'], ...defectRows], columns);
  return `${defectTable}\n${table([['name', 'variant'], ...variantRows], columns)}`;
}

/** Columns as wide as their widest cell, but for the last: it goes on below itself where there is no room. */
function table(rows: readonly (readonly string[])[], columns: number): string {
  const leading = rows[0]?.slice(0, -1) ?? [];
  const widths = leading.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const indent = widths.reduce((sum, width) => sum + width + 2, 0);
  const lines = rows.flatMap((row) => {
    const head = widths.map((width, column) => `${(row[column] ?? '').padEnd(width)}  `).join('');
    const [first = '', ...rest] = wrap(row.at(-1) ?? '', columns - indent);
    return [`${head}${first}`, ...rest.map((line) => `${' '.repeat(indent)}${line}`)];
  });
  return `${lines.join('\n')}\n`;
}
