/** Longer values are cut. */
const longest = 80;
/** What is shown before the first character that differs. */
const before = 20;

/** Two values as texts that a reader can tell apart: long ones around the place at which they differ. */
export function apart(expected: string, got: string, most = longest): readonly [string, string] {
  const looksAlike = expected !== got && bare(expected) === bare(got);
  const [a, b] = looksAlike ? [escaped(expected), escaped(got)] : [expected, got];
  if (a === '' || b === '') return [partOf(a, most), partOf(b, most)];
  const others = [...b];
  const at = [...a].findIndex((character, place) => character !== others[place]);
  return [partOf(a, most, at), partOf(b, most, at)];
}

/** A part of a long text, with the place at which it differs from another. */
export function partOf(text: string, most = longest, at = 0): string {
  const characters = [...text];
  if (characters.length <= most) return text;
  const from = at > most - before ? at - before : 0;
  const part = characters.slice(from, from + most).join('');
  return `${from > 0 ? '…' : ''}${part}${from + most < characters.length ? '…' : ''}`;
}

/** Without what an eye does not see: composed letters are as decomposed ones, spaces and format characters are gone. */
const bare = (text: string): string => text.normalize('NFKC').replaceAll(/[\p{Cf}\s]/gu, '');

const escaped = (text: string): string =>
  text.replaceAll(/[^!-~]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
