/** An SQL literal of one of the program's own names. What a target says is bound as a parameter, never written into SQL. */
export function sqlText<const Name extends string>(name: string extends Name ? never : Name): string {
  return ownText(name);
}

/** An SQL literal of other text of the program, or of the run's author: a file, a phase, a field of the profile. */
export function ownText(text: string): string {
  return `'${text.replaceAll("'", "''").replaceAll('\0', "' || chr(0) || '")}'`;
}

/** SQL: the rows of a parameter, a JSON list of texts. */
export function ofParameter(name: string): string {
  return `(SELECT unnest(CAST(CAST($${name} AS JSON) AS VARCHAR[])))`;
}
