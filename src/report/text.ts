import { number, span } from '../amounts.ts';

/**
 * Ids, headers and bodies come from the target. Before they reach a terminal or a page, control characters (escape
 * sequences, line breaks, direction overrides) become visible escapes such as `\u202e`.
 */

/** Control and format characters, line and paragraph separators, and halves of surrogate pairs. */
const steering = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** The text with every character that steers a terminal or a page made visible; line breaks and tabs become spaces. */
export function visible(text: string): string {
  return text.replaceAll(/[\t\r\n]+/g, ' ').replaceAll(steering, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return `\\u${code.padStart(4, '0')}`;
  });
}

/** The lines of a text, all visible. The others are indented, so that none looks like a line of the program's own. */
export function visibleLines(text: string): string {
  const [first = '', ...more] = text.split('\n').map(visible);
  return [first, ...more.map((line) => (line === '' || line.startsWith('  ') ? line : `  ${line}`))].join(
    '\n',
  );
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

/** As many whole sentences from the beginning as fit, but at least one: nothing is cut within a sentence. */
export function firstSentences(text: string, fits: (sentences: string) => boolean): string {
  const beginnings = [...text.matchAll(/[.!?](?= |$)/g)].map(({ index }) => text.slice(0, index + 1));
  return beginnings.findLast(fits) ?? beginnings[0] ?? text;
}

/** A word that a POSIX shell takes as it is, quoted if it has to be. */
export function shellWord(word: string): string {
  const shown = visible(word);
  return /^[\w@%+=:,./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`;
}

/** A clock for progress: `0:07`, `12:30`, `1:02:03`. */
export function clock(valueMs: number): string {
  const seconds = Math.max(0, Math.round(valueMs / 1_000));
  const two = (n: number): string => String(n).padStart(2, '0');
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** `2026-05-01 12:00:00 UTC`. */
export function utc(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `2026-05-01 12:00:00.123`, in UTC. */
export function utcMs(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 23).replace('T', ' ');
}

/** `1,000 per minute`, `100 per 6 s`. */
export function perWindow(requests: number, windowMs: number): string {
  return `${number(requests)} per ${windowName(windowMs)}`;
}

/** `minute`, `6 s`. */
export function windowName(windowMs: number): string {
  return windowMs === 60_000 ? 'minute' : span(windowMs);
}

/** An instant of the run to the millisecond: `1:02.345`. */
export function instant(ns: number): string {
  const wholeMs = Math.floor(ns / 1e6);
  return `${clock(wholeMs - (wholeMs % 1_000))}.${String(wholeMs % 1_000).padStart(3, '0')}`;
}
