/** A change within a text: what stands from `start` up to `end` becomes `text`. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Words that show that a string is SQL, or a part of it. */
const sqlWords =
  /\b(SELECT|INSERT INTO|UPDATE|CREATE TABLE|WHERE|ORDER BY|PRAGMA|CASE WHEN)\b|\b(count|coalesce|avg|nullif|round|sum)\(/;

export function isSql(text: string): boolean {
  return sqlWords.test(text);
}

const opposite: Readonly<Record<string, string>> = {
  '=': '<>',
  '<>': '=',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
};

/** What is looked for, and what stands there in each mutant. */
const rewrites: readonly (readonly [pattern: RegExp, mutants: (...found: string[]) => readonly string[]])[] =
  [
    [
      /(?<=\b(?:WHERE|AND|ON) )([\w.]+) (>=|<=|<>|=|<|>) (\?\d?|[\w.]+|'\w+')/g,
      (all, left, operator = '', right) => [`(${all} OR 1)`, `${left} ${opposite[operator]} ${right}`],
    ],
    [/(?<=\bWHEN )(\w+) = /g, (_all, left) => [`${left} <> `]],
    [/\bAND\b/g, () => ['OR']],
    [/\bOR\b/g, () => ['AND']],
    [/\bIS NULL\b/g, () => ['IS NOT NULL']],
    [/(?<=\bORDER BY )[\w.]+(?:\(\w+\))?/g, () => ['NULL']],
    [/(?<=\bORDER BY [^,]+, )[\w.]+(?:\(\w+\))?/g, () => ['NULL']],
    [/ DESC\b/g, () => [' ASC']],
    [/\bDISTINCT /g, () => ['']],
    [/\bLEFT JOIN\b/g, () => ['JOIN']],
    [/\s+ON CONFLICT\b[^`'"]*DO NOTHING/g, () => ['']],
    [/ UNIQUE\b(?! \()/g, () => ['']],
    [/\bavg\(/g, () => ['max(']],
    [/\bmax\(/g, () => ['min(']],
    [/\bcount\(\*\)/g, () => ['count(*) + 1']],
    [/(?<![\w?.-])\d+(?:\.\d+)?(?!\w)/g, (digits) => [String(Number(digits) + 1)]],
  ];

/**
 * Changes to SQL: comparisons, conditions that always hold, order, duplicates, aggregates, constants. `?` stay, since a
 * statement with too many parameters cannot run.
 */
export function sqlChanges(sql: string): TextEdit[] {
  return rewrites.flatMap(([pattern, mutants]) =>
    [...sql.matchAll(pattern)].flatMap((found) =>
      mutants(...found).map((text) => ({ start: found.index, end: found.index + found[0].length, text })),
    ),
  );
}
