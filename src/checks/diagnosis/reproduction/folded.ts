/** Lines of a shell that are longer than this go on in the next one. */
const mostColumns = 80;

/** Where a command may go on in the next line, if it is not quoted there. */
const breakable = /^ (?:-[HdIow] |--parallel-imm|"\$BASE_URL|\| )/;

/** One line of a shell as lines of at most 80 columns, as far as words and quotes allow. */
export function folded(line: string): string[] {
  // A command that a comment shows is to be copied.
  if (line.length <= mostColumns || line.startsWith('# npx ')) return [line];
  return line.startsWith('# ')
    ? filled(line.slice(2).split(/(?<=[ ,])/), '# ', '#   ', '')
    : filled(partsOf(line), '', '  ', ' \\');
}

/** As many pieces to a line as fit. `end`: of every line but the last. */
function filled(pieces: readonly string[], first: string, others: string, end: string): string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const piece of pieces) {
    if (!isEmpty && (line + piece.trimEnd() + end).length > mostColumns) {
      lines.push(`${line.trimEnd()}${end}`);
      line = others + piece.trimStart();
    } else line += piece;
    isEmpty = false;
  }
  return [...lines, line.trimEnd()];
}

/** A command cut where it may be broken: before options, the URL and pipes, outside quotes. */
function partsOf(command: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let quote = '';
  for (let at = 0; at < command.length; at++) {
    const character = command[at] as string;
    if (character === '\\' && quote !== "'") at++;
    else if (quote === '' && (character === '"' || character === "'")) quote = character;
    else if (character === quote) quote = '';
    else if (quote === '' && at > from && breakable.test(command.slice(at, at + 16))) {
      parts.push(command.slice(from, at));
      from = at;
    }
  }
  return [...parts, command.slice(from)];
}
