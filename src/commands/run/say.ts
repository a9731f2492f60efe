import { visible, wrap } from '../../report/text.ts';

/** Prints a text in lines that fit the terminal. */
export function say(text: string, indent = 0): void {
  const columns = Math.min(100, process.stdout.columns ?? 80) - indent;
  const lines = text === '' ? [''] : wrap(visible(text), columns);
  process.stdout.write(lines.map((line) => `${' '.repeat(indent)}${line}\n`).join(''));
}
