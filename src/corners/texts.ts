import { matching, type TextClass } from './value-class.ts';

/*
 * Classes of texts, by what software does with text: it counts characters or bytes, compares without case, trims, normalises,
 * parses numbers, escapes for paths, and keeps reserved words for itself.
 */

/** A text of exactly this number of characters that begins with `start`. */
function padded(start: string, characters: number): string {
  return start.padEnd(characters, 'x');
}

/** The text as a service may keep it that trims texts and composes their letters: which texts are the same is left open. */
export function foldedText(text: string): string {
  return text.normalize('NFC').trim();
}

/** Whether a service may keep the text as another one, or take it for another one. */
export function isOpenText(text: string): boolean {
  return foldedText(text) !== text || foldedText(text).normalize('NFD') !== text;
}

/** Characters with a meaning in URLs together, in an id of one request: software that decodes twice or splits leaves none as it is. */
export function urlId(unique: string): string {
  return `${unique}-a%2Fb+c,d e&f=g;h#i?j`;
}

/** Values that cannot be the run's own: a character, a word, a number. */
const oneCharacter = matching('one-character', /^.$/su, 'A');
const reservedWord = matching(
  'reserved-word',
  /^(null|undefined|true|__proto__|constructor)$/,
  ...['null', 'undefined', '__proto__', 'constructor'],
);
/** Changes when it is converted to a number. */
const numberLook = matching(
  'number-look',
  /^(0\d+|\d+[Ee]\d+|0x[\da-f]+|-0|9007199254740993)$/,
  ...['007', '1E2', '0x10', '-0', '9007199254740993'],
);

const differsInCase: TextClass = {
  id: 'case-pair',
  make: (unique) => [`Case-Pair-${unique}`, `CASE-PAIR-${unique}`],
};

/** Classes of an identifier that a client may choose freely. */
export const idClasses: readonly TextClass[] = [
  matching('plain', /^[\w-]{2,64}$/),
  oneCharacter,
  {
    id: 'characters-255',
    holds: (value) => value.length === 255,
    make: (unique) => [padded(`l255-${unique}-`, 255)],
  },
  {
    id: 'characters-256',
    holds: (value) => value.length >= 256,
    make: (unique) => [padded(`l256-${unique}-`, 256)],
  },
  reservedWord,
  numberLook,
  {
    ...matching('url-characters', /%2F|[/?#;+&,]|\.\./i),
    make: (unique) => [`a%2Fb-${unique}`, `../${unique}`, `q?x=1&y#z;w+v,u-${unique}`],
  },
  { ...matching('quotes', /['"\\]/), make: (unique) => [`o'q"b\\-${unique}`] },
  { ...matching('not-ascii', /[^\p{ASCII}]/u), make: (unique) => [`桜-${unique}`] },
  {
    id: 'same-start-pair',
    make: (unique) => ['a', 'b'].map((end) => padded(`start-${unique}-`, 64) + end),
  },
  // Alike if _ stands for any character.
  { id: 'wildcard-pair', make: (unique) => [`wildx${unique}`, `wild_${unique}`] },
  {
    id: 'number-pair',
    // Digits alone, and still the run's own.
    make: (unique) => {
      const digits = [...unique].map((character) => character.charCodeAt(0)).join('');
      return [digits, `0${digits}`];
    },
  },
  differsInCase,
  { id: 'trailing-space-pair', make: (unique) => [`space-${unique}`, `space-${unique} `] },
  { id: 'composition-pair', make: (unique) => [`ros\u00e9-${unique}`, `rose\u0301-${unique}`] },
];

/** Classes of an id that carries the run's tag, without what other requests have: ids that differ in case only. */
export const taggedIdClasses: readonly TextClass[] = idClasses.filter(
  ({ id }) => ![oneCharacter, reservedWord, numberLook, differsInCase].some((each) => each.id === id),
);

const sameName = 'Twin Rose';

/** Classes of a text for people. */
export const nameClasses: readonly TextClass[] = [
  matching('ascii', /^\p{ASCII}+$/u, 'Plain Rose'),
  // Letters of as many bytes in UTF-8.
  matching('two-bytes', /[\u0080-\u07ff]/u, 'Rosé Doré'),
  matching('three-bytes', /[\u0800-\uffff]/u, '桜色'),
  matching('four-bytes', /[\u{10000}-\u{10ffff}]/u, 'Pêche 🍑'),
  {
    id: 'combining',
    holds: (value) => value.normalize('NFC') !== value,
    make: () => ['Ros\u0065\u0301 Ame\u0301lie'],
  },
  matching('joined-emoji', /\p{Extended_Pictographic}\ufe0f?\u200d/u, 'Lips 💋 👩‍🎨 ❤️‍🔥'),
  matching('right-to-left', /[\u0590-\u08ff]/, 'أحمر شفاه', 'אדום'),
  matching('zero-width', /[\u200b\u2060\ufeff]/, 'Rose\u200bwood'),
  // Changed by Turkish rules of case.
  matching('turkish-i', /[İı]/, 'İris ıslak I i'),
  oneCharacter,
  // Characters with a meaning in HTML, SQL, CSV or JSON.
  matching('markup', /[<>&"'\\;]/, `<b>Rose</b> & "O'Hara"; \\ --`),
  // Begins as a formula of a spreadsheet.
  matching('formula', /^[=+@-]/, '=1+1'),
  matching('word', /^(null|undefined|true|false|NaN|0|1e3)$/, 'null', 'true', '0', '1e3'),
  { id: 'characters-255', holds: (value) => value.length === 255, make: () => [padded('Long ', 255)] },
  { id: 'characters-256', holds: (value) => value.length >= 256, make: () => [padded('Longer ', 256)] },
  // In UTF-8, and of fewer characters.
  {
    id: 'bytes-255',
    holds: (value) => value.length < 255 && Buffer.byteLength(value) > 255,
    make: () => ['桜'.repeat(86)],
  },
  { id: 'same-name', holds: (value) => value === sameName, make: () => [sameName, sameName] },
];
