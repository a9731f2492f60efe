import type { PairClass, TextClass, ValueClass } from './value-class.ts';

/*
 * Classes of texts, by what software does with text: it counts characters or bytes, compares without case, trims, normalises,
 * parses numbers, escapes for paths, and keeps reserved words for itself.
 */

const encoder = new TextEncoder();

/** Bytes in UTF-8. */
function bytesOf(text: string): number {
  return encoder.encode(text).length;
}

/** A text of exactly this number of characters that begins with `start`. */
function padded(start: string, characters: number, filler = 'x'): string {
  return start + filler.repeat(Math.max(0, characters - start.length));
}

/** The text as a service may keep it that trims texts and composes their letters: which texts are the same is left open. */
export function foldedText(text: string): string {
  return text.normalize('NFC').trim();
}

/** Whether a service may keep the text as another one, or take it for another one. */
export function isOpenText(text: string): boolean {
  return foldedText(text) !== text || foldedText(text).normalize('NFD') !== text;
}

const free = { requests: 0, from: 'single' } as const;

const differsInCase: PairClass = {
  id: 'case-pair',
  sentence: 'Two values that differ in case only',
  ...free,
  alike: (value) => [value.toLowerCase()],
  make: (unique) => [`Case-Pair-${unique}`, `CASE-PAIR-${unique}`],
};

const differsInSpace: PairClass = {
  id: 'trailing-space-pair',
  sentence: 'Two values that differ in a trailing space only',
  ...free,
  alike: (value) => [value.trimEnd()],
  make: (unique) => [`space-${unique}`, `space-${unique} `],
};

const differsInComposition: PairClass = {
  id: 'composition-pair',
  sentence: 'Two values with the same letters, composed (NFC) and decomposed (NFD)',
  ...free,
  alike: (value) => [value.normalize('NFC')],
  make: (unique) => [`ros\u00e9-${unique}`, `rose\u0301-${unique}`],
};

const urlCharacters: ValueClass<string> = {
  id: 'url-characters',
  sentence: 'Characters with a meaning in URLs: %2F, /, .., ?, #, ;, + or a comma',
  ...free,
  holds: (value) => /%2F|[/?#;+&,]|\.\./i.test(value),
  make: (unique) => [`a%2Fb-${unique}`, `../${unique}`, `q?x=1&y#z;w+v,u-${unique}`],
};

/** Such characters together, in an id of one request: none is left as it is by software that decodes twice or splits. */
export function urlId(unique: string): string {
  return `${unique}-a%2Fb+c,d e&f=g;h#i?j`;
}

const quotes: ValueClass<string> = {
  id: 'quotes',
  sentence: 'Quotes and a backslash: \', " and \\',
  ...free,
  holds: (value) => /['"\\]/.test(value),
  make: (unique) => [`o'q"b\\-${unique}`],
};

const differsInWildcard: PairClass = {
  id: 'wildcard-pair',
  sentence: 'Two values that are alike if _ or % stands for any character',
  ...free,
  alike: (value) => [value.replace(/[_%x]/g, '?')],
  make: (unique) => [`wildx${unique}`, `wild_${unique}`],
};

const differsAtTheEnd: PairClass = {
  id: 'same-start-pair',
  sentence: 'Two values that are alike in their first 64 characters',
  ...free,
  alike: (value) => (value.length > 64 ? [value.slice(0, 64)] : []),
  make: (unique) => ['a', 'b'].map((end) => padded(`start-${unique}-`, 64) + end),
};

const differsInNumberForm: PairClass = {
  id: 'number-pair',
  sentence: 'Two values that are the same number, and different texts',
  ...free,
  alike: (value) => (/^\d+$/.test(value) ? [value.replace(/^0+/, '')] : []),
  // Digits alone, and still the run's own.
  make: (unique) => {
    const digits = [...unique].map((character) => character.charCodeAt(0)).join('');
    return [digits, `0${digits}`];
  },
};

const notAscii: ValueClass<string> = {
  id: 'not-ascii',
  sentence: 'Letters outside ASCII',
  ...free,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the end of ASCII.
  holds: (value) => /[^\u0000-\u007f]/.test(value),
  make: (unique) => [`桜-${unique}`],
};

const long255: ValueClass<string> = {
  id: 'characters-255',
  sentence: '255 characters',
  ...free,
  holds: (value) => value.length === 255,
  make: (unique) => [padded(`l255-${unique}-`, 255)],
};

const long256: ValueClass<string> = {
  id: 'characters-256',
  sentence: '256 characters or more',
  ...free,
  holds: (value) => value.length >= 256,
  make: (unique) => [padded(`l256-${unique}-`, 256)],
};

const plain: ValueClass<string> = {
  id: 'plain',
  sentence: 'Up to 64 letters, digits, - and _',
  ...free,
  holds: (value) => /^[\w-]{2,64}$/.test(value),
};

const oneCharacter: ValueClass<string> = {
  id: 'one-character',
  sentence: 'One character',
  ...free,
  holds: (value) => [...value].length === 1,
  make: () => ['A'],
};

const reservedWord: ValueClass<string> = {
  id: 'reserved-word',
  sentence: 'A reserved word of programming languages: null, undefined, true, __proto__ or constructor',
  ...free,
  holds: (value) => /^(null|undefined|true|__proto__|constructor)$/.test(value),
  make: () => ['null', 'undefined', '__proto__', 'constructor'],
};

const numberLook: ValueClass<string> = {
  id: 'number-look',
  sentence: 'Looks like a number, and changes when it is converted to one: 007, 1E2, 0x10, -0 or 2^53 + 1',
  ...free,
  holds: (value) => /^(0\d+|\d+[Ee]\d+|0x[\da-f]+|-0|9007199254740993)$/.test(value),
  make: () => ['007', '1E2', '0x10', '-0', '9007199254740993'],
};

/** Classes of an identifier that a client may choose freely. */
export const idClasses: readonly TextClass[] = [
  plain,
  oneCharacter,
  long255,
  long256,
  reservedWord,
  numberLook,
  urlCharacters,
  quotes,
  notAscii,
  differsAtTheEnd,
  differsInWildcard,
  differsInNumberForm,
  differsInCase,
  differsInSpace,
  differsInComposition,
];

/**
 * Classes of an id that carries the run's tag: no single character, word or number can be the run's own. A plain one is sent
 * anyway, and one that differs from it in case only.
 */
export const taggedIdClasses: readonly TextClass[] = idClasses
  .filter((each) => ![oneCharacter, reservedWord, numberLook].some(({ id }) => id === each.id))
  .map((each) => (each === plain || each === differsInCase ? each : { ...each, requests: 2 }));

function named(
  id: string,
  sentence: string,
  holds: (value: string) => boolean,
  ...values: readonly string[]
): ValueClass<string> {
  return { id, sentence, ...free, holds, make: () => values };
}

/** Classes of a text for people. */
export const nameClasses: readonly TextClass[] = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the end of ASCII.
  named('ascii', 'ASCII', (value) => /^[\u0000-\u007f]+$/.test(value), 'Plain Rose'),
  named(
    'two-bytes',
    'A letter of two bytes in UTF-8',
    (value) => /[\u0080-\u07ff]/u.test(value),
    'Rosé Doré',
  ),
  named('three-bytes', 'A letter of three bytes in UTF-8', (value) => /[\u0800-\uffff]/u.test(value), '桜色'),
  named(
    'four-bytes',
    'A letter of four bytes in UTF-8, which UTF-16 writes as two',
    (value) => /[\u{10000}-\u{10ffff}]/u.test(value),
    'Pêche 🍑',
  ),
  named(
    'combining',
    'Letters with combining marks (NFD)',
    (value) => value.normalize('NFC') !== value,
    'Ros\u0065\u0301 Ame\u0301lie',
  ),
  named(
    'joined-emoji',
    'An emoji that is joined from several (U+200D)',
    (value) => /\p{Extended_Pictographic}\ufe0f?\u200d/u.test(value),
    'Lips 💋 👩‍🎨 ❤️‍🔥',
  ),
  named(
    'right-to-left',
    'A script that runs from right to left',
    (value) => /[\u0590-\u08ff]/.test(value),
    'أحمر شفاه',
    'אדום',
  ),
  named(
    'zero-width',
    'A character without width (U+200B)',
    (value) => /[\u200b\u2060\ufeff]/.test(value),
    'Rose\u200bwood',
  ),
  named(
    'turkish-i',
    'I and i with and without a dot, which Turkish rules of case change',
    (value) => /[İı]/.test(value),
    'İris ıslak I i',
  ),
  named('one-character', 'One character', (value) => [...value].length === 1, 'A'),
  named(
    'markup',
    'Characters with a meaning in HTML, SQL, CSV or JSON',
    (value) => /[<>&"'\\;]/.test(value),
    `<b>Rose</b> & "O'Hara"; \\ --`,
  ),
  named('formula', 'Begins as a formula of a spreadsheet', (value) => /^[=+@-]/.test(value), '=1+1'),
  named(
    'word',
    'A reserved word of programming languages, or a number',
    (value) => /^(null|undefined|true|false|NaN|0|1e3)$/.test(value),
    'null',
    'true',
    '0',
    '1e3',
  ),
  named('characters-255', '255 characters', (value) => value.length === 255, padded('Long ', 255)),
  named('characters-256', '256 characters or more', (value) => value.length >= 256, padded('Longer ', 256)),
  named(
    'bytes-255',
    'Fewer than 255 characters, and more than 255 bytes in UTF-8',
    (value) => value.length < 255 && bytesOf(value) > 255,
    '桜'.repeat(86),
  ),
  {
    id: 'same-name',
    sentence: 'The same name on two shades of a catalog',
    ...free,
    holds: (value) => value === sameName,
    make: () => [sameName, sameName],
  },
];

const sameName = 'Twin Rose';
