/** What is wrong with an answer, as the history records it: `token: expected string, got number`. */
interface AnswerProblem {
  readonly field: string;
  readonly expected: string;
  readonly got: string;
}

/** How the problem begins of an error whose body is not JSON; its status follows. */
export const errorTypeProblem = 'content-type of a';

/** What is expected of the token of a new session. */
export const newToken = 'a new one';

/** The record of a problem. A value with a comma before “got” in it is not read rightly, and no field has one. */
export function problemText({ expected, field, got }: AnswerProblem): string {
  return `${field}: expected ${expected}, got ${got}`;
}

/** The first problem of a record; undefined where it has another form. */
export function readProblem(text: string | null): AnswerProblem | undefined {
  const [, field, expected, got] = /^([\w.[\]-]+): expected (.+?), got (.+)$/s.exec(text ?? '') ?? [];
  return field === undefined || expected === undefined || got === undefined
    ? undefined
    : { field, expected, got };
}
