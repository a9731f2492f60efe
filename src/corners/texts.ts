import { type TextClass, values } from './value-class.ts';

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
const oneCharacter = values('one-character', 'A');
const reservedWord = values('reserved-word', 'null', 'undefined', '__proto__', 'constructor');
/** Changes when it is converted to a number. */
const numberLook = values('number-look', '007', '1E2', '0x10', '-0', '9007199254740993');

const differsInCase: TextClass = {
  id: 'case-pair',
  make: (unique) => [`Case-Pair-${unique}`, `CASE-PAIR-${unique}`],
};

/** Classes of an identifier that a client may choose freely. */
export const idClasses: readonly TextClass[] = [
  oneCharacter,
  {
    id: 'characters-255',
    make: (unique) => [padded(`l255-${unique}-`, 255)],
  },
  {
    id: 'characters-256',
    make: (unique) => [padded(`l256-${unique}-`, 256)],
  },
  reservedWord,
  numberLook,
  {
    id: 'url-characters',
    make: (unique) => [`a%2Fb-${unique}`, `../${unique}`, `q?x=1&y#z;w+v,u-${unique}`],
  },
  { id: 'quotes', make: (unique) => [`o'q"b\\-${unique}`] },
  { id: 'not-ascii', make: (unique) => [`桜-${unique}`] },
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
  values('ascii', 'Plain Rose'),
  // Letters of as many bytes in UTF-8.
  values('two-bytes', 'Rosé Doré'),
  values('three-bytes', '桜色'),
  values('four-bytes', 'Pêche 🍑'),
  {
    id: 'combining',
    make: () => ['Ros\u0065\u0301 Ame\u0301lie'],
  },
  values('joined-emoji', 'Lips 💋 👩‍🎨 ❤️‍🔥'),
  values('right-to-left', 'أحمر شفاه', 'אדום'),
  values('zero-width', 'Rose\u200bwood'),
  // Changed by Turkish rules of case.
  values('turkish-i', 'İris ıslak I i'),
  oneCharacter,
  // Characters with a meaning in HTML, SQL, CSV or JSON.
  values('markup', `<b>Rose</b> & "O'Hara"; \\ --`),
  // Begins as a formula of a spreadsheet.
  values('formula', '=1+1'),
  values('word', 'null', 'true', '0', '1e3'),
  { id: 'characters-255', make: () => [padded('Long ', 255)] },
  { id: 'characters-256', make: () => [padded('Longer ', 256)] },
  // In UTF-8, and of fewer characters.
  {
    id: 'bytes-255',
    make: () => ['桜'.repeat(86)],
  },
  { id: 'same-name', make: () => [sameName, sameName] },
];
