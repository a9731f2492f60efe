import { ownText } from './columns.ts';
import type { History } from './history.ts';

declare const has: unique symbol;

export type Words<Text extends string> = Text extends `${infer First} ${infer Rest}`
  ? First | Words<Rest>
  : Text;

/** A temporary table that has at least these columns. In SQL it is named by itself: `FROM ${table}`. */
export interface TableWith<in Column extends string> {
  toString(): string;
  /** How many rows it has; undefined for a view. */
  readonly rows: number | undefined;
  /** In the type alone. */
  readonly [has]?: (column: Column) => void;
}

/** A temporary table with the columns named, as in `Table<'seq state'>`. */
export type Table<Columns extends string> = TableWith<Words<Columns>>;

/** The names in a list of columns. */
export function columnsOf<const Columns extends string>(columns: Columns): Words<Columns>[] {
  return columns.split(' ') as Words<Columns>[];
}

/**
 * The temporary tables of one computation. Each is made once, of one query, and is not changed afterwards: what is known
 * better later is another table. So code that reads one need not know when it was made. They are dropped together.
 */
export class Tables {
  readonly history: History;
  readonly #prefix: string;
  readonly #made = new Map<string, 'TABLE' | 'VIEW'>();
  #count = 0;

  constructor(history: History, prefix: string) {
    this.history = history;
    this.#prefix = prefix;
  }

  /** A table of a query's rows. */
  make<const Columns extends string>(name: string, columns: Columns, query: string): Promise<Table<Columns>> {
    return this.#create('TABLE', name, columns, query);
  }

  /** A query that is computed wherever it is read: to write millions of rows takes longer. */
  view<const Columns extends string>(name: string, columns: Columns, query: string): Promise<Table<Columns>> {
    return this.#create('VIEW', name, columns, query);
  }

  /** A table of whole numbers. */
  numbers<const Columns extends string>(
    name: string,
    columns: Columns,
    rows: readonly (readonly number[])[],
  ): Promise<Table<Columns>> {
    // A list as text is cast at once, where each number of VALUES would be an expression to plan.
    const each = columnsOf(columns).map(
      (column, at) => `unnest('[${rows.map((row) => row[at])}]'::BIGINT[]) AS ${quoted(column)}`,
    );
    return this.make(name, columns, `SELECT ${each.join(', ')}`);
  }

  async #create<const Columns extends string>(
    kind: 'TABLE' | 'VIEW',
    name: string,
    columns: Columns,
    query: string,
  ): Promise<Table<Columns>> {
    this.#count++;
    const own = `${this.#prefix}_${name}_${this.#count}`;
    const rows = await this.history.execute(
      `CREATE TEMP ${kind} ${own} AS SELECT ${columnsOf(columns).map(quoted).join(', ')} FROM (${query})`,
    );
    this.#made.set(own, kind);
    return { toString: () => own, rows: kind === 'TABLE' ? rows : undefined };
  }

  /** Returns their memory. To read one later is an error. */
  async drop(...tables: readonly TableWith<never>[]): Promise<void> {
    const names = tables.map(String);
    await this.history.execute(
      names.map((name) => `DROP ${this.#made.get(name) ?? 'TABLE'} ${name};`).join('\n'),
    );
    for (const name of names) this.#made.delete(name);
  }

  async dropAll(): Promise<void> {
    if (this.#made.size > 0)
      await this.drop(...[...this.#made.keys()].map((name) => ({ toString: () => name, rows: undefined })));
  }
}

function quoted(column: string): string {
  return `"${column}"`;
}

/** What a computation makes of a history with temporary tables, which are gone when it ends. */
export async function withTables<Result>(
  history: History,
  prefix: string,
  compute: (tables: Tables) => Promise<Result>,
): Promise<Result> {
  const tables = new Tables(history, prefix);
  try {
    return await compute(tables);
  } finally {
    await tables.dropAll();
  }
}

/** The same question to the same open history is asked once, however many reports want its answer. */
export function oncePerHistory<T>(ask: (history: History) => Promise<T>): (history: History) => Promise<T> {
  const answers = new WeakMap<History, Promise<T>>();
  return (history) => {
    let answer = answers.get(history);
    if (answer === undefined) {
      answer = ask(history);
      answers.set(history, answer);
    }
    return answer;
  };
}

/** An SQL literal of one of the program's own names. What a target says is bound as a parameter, never written into SQL. */
export function sqlText<const Name extends string>(name: string extends Name ? never : Name): string {
  return ownText(name);
}

/** SQL: the rows of a parameter, a JSON list of texts. */
export function ofParameter(name: string): string {
  return `(SELECT unnest(CAST(CAST($${name} AS JSON) AS VARCHAR[])))`;
}
