/**
 * Ids, headers and bodies come from the target. Before they reach a terminal or a page, control characters (escape
 * sequences, line breaks, direction overrides) become visible escapes such as `\u202e`.
 */

/** Control and format characters, line and paragraph separators, and halves of surrogate pairs. */
const steering = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** The text with every character that steers a terminal or a page made visible; line breaks and tabs become spaces. */
export function visible(text: string): string {
  return text.replaceAll(/[\t\r\n]+/g, ' ').replaceAll(steering, escapeCode);
}

/** The lines of a text, all visible. The others are indented, so that none looks like a line of the program's own. */
export function visibleLines(text: string): string {
  const [first = '', ...more] = text.split('\n').map(visible);
  return [first, ...more.map((line) => (line === '' || line.startsWith('  ') ? line : `  ${line}`))].join(
    '\n',
  );
}

function escapeCode(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}

/** The text cut to this many characters, with an ellipsis where something is missing. */
export function cut(text: string, length: number): string {
  const characters = [...text];
  if (characters.length <= length) return text;
  return `${characters.slice(0, Math.max(0, length - 1)).join('')}…`;
}

/** A space, but none between a number and its unit. */
const breakableSpace = / (?!(?<=\d )(?:s|ms|min|h|%)(?![\w]))/;

/** Breaks a text into lines of at most `columns` characters, at spaces where there are any. */
export function wrap(text: string, columns: number): string[] {
  const width = Math.max(1, columns);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(breakableSpace).filter((part) => part !== '')) {
    let rest = word;
    if (line !== '' && line.length + 1 + rest.length > width) {
      lines.push(line);
      line = '';
    }
    while (rest.length > width) {
      lines.push(rest.slice(0, width));
      rest = rest.slice(width);
    }
    line = line === '' ? rest : `${line} ${rest}`;
  }
  if (line !== '') lines.push(line);
  return lines;
}

/** The same, in at most this many lines: the last one is cut where something is missing. */
export function wrapAtMost(text: string, columns: number, most: number): string[] {
  const lines = wrap(text, columns);
  return lines.length > most
    ? [...lines.slice(0, most - 1), cut(lines.slice(most - 1).join(' '), columns)]
    : lines;
}

/** A word that a POSIX shell takes as it is, quoted if it has to be. */
export function shellWord(word: string): string {
  const shown = visible(word);
  return /^[\w@%+=:,./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`;
}
