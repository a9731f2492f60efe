/** How two texts may be taken for one, and how a text may be changed on its way: by name, so that a fault's parameter is data. */

const safely =
  (change: (text: string) => string) =>
  (text: string): string => {
    try {
      return change(text);
    } catch {
      return text;
    }
  };

/** What remains of a text for a comparison that is too loose. */
export const foldings = {
  'without regard to case': (text) => text.toLowerCase(),
  'without spaces around': (text) => text.trim(),
  'in Unicode form NFC': (text) => text.normalize(),
  'in Unicode form NFKC': (text) => text.normalize('NFKC'),
  'without accents': (text) => text.normalize('NFD').replaceAll(/\p{M}/gu, ''),
  'without regard to case and accents': (text) =>
    text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase(),
  'as numbers': (text) => (/^\d+$/.test(text) ? String(Number(text)) : text),
  'decoded twice': safely((text) => decodeURIComponent(text.replaceAll('+', ' '))),
  'with + as a space': (text) => text.replaceAll('+', ' '),
  'by letters and digits only': (text) => text.replaceAll(/[^\p{L}\p{N}]/gu, ''),
  'by ASCII characters only': (text) => text.replaceAll(/[^ -~]/g, ''),
  'cut to their first 32 characters': (text) => text.slice(0, 32),
  'cut to their first 64 characters': (text) => text.slice(0, 64),
  'cut to their first 254 characters': (text) => text.slice(0, 254),
  'up to a slash': (text) => text.split('/')[0] ?? '',
  'with _ as a hyphen': (text) => text.replaceAll('_', '-'),
} as const satisfies Record<string, (text: string) => string>;
export type Folding = keyof typeof foldings;
export const foldingNames = Object.keys(foldings) as Folding[];

const cut =
  (length: number) =>
  (text: string): string =>
    [...text].slice(0, length).join('');

/** The text before the first match: a parser, a store or a column that ends there. */
const before =
  (pattern: RegExp) =>
  (text: string): string =>
    text.split(pattern, 1)[0] ?? '';

/** Escaped for HTML, with more characters than those of each escape. */
const escaped = (more: Readonly<Record<string, string>> = {}): ((text: string) => string) => {
  const all: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', ...more };
  return (text) => text.replaceAll(/[&<>"']/g, (each) => all[each] ?? each);
};

/** What may become of a text. */
export const changes = {
  ...foldings,
  'up to the first character beyond 16 bits': before(/[\u{10000}-\u{10ffff}]/u),
  'up to the first character beyond ASCII': before(/[^\0-\x7f]/u),
  'up to the first quote': before(/["']/),
  'up to the first <': before(/</),
  'up to the first %': before(/%/),
  'up to the first &': before(/&/),
  'up to the first NUL': before(/\0/),
  'in capitals': (text) => text.toUpperCase(),
  'as a number, where it is one': (text) =>
    /^\d+(\.\d+)?(e\d+)?$/i.test(text) ? String(Number(text)) : text,
  'with single spaces': (text) => text.replaceAll(/\s+/g, ' '),
  'with single spaces, and none around': (text) => text.trim().replaceAll(/\s+/g, ' '),
  'with an apostrophe before =, +, - and @': (text) => text.replace(/^[=+\-@]/, "'$&"),
  'escaped for HTML': escaped(),
  'escaped for HTML with quotes': escaped({ '"': '&quot;' }),
  'escaped for HTML with apostrophes as &#39;': escaped({ '"': '&quot;', "'": '&#39;' }),
  'escaped for HTML with apostrophes as &#x27;': escaped({ '"': '&quot;', "'": '&#x27;' }),
  'escaped for HTML with & alone': (text) => text.replaceAll('&', '&amp;'),
  'unescaped from HTML': (text) => text.replaceAll('&amp;', '&'),
  'with quotes twice': (text) => text.replaceAll('"', '""'),
  'without tags': (text) => text.replaceAll(/<[^>]*>/g, ''),
  'with UTF-8 read as Latin-1': (text) => Buffer.from(text, 'utf8').toString('latin1'),
  'with ? beyond Latin-1': (text) => text.replaceAll(/[^\0-\xff]/gu, '?'),
  'with ? beyond ASCII': (text) => text.replaceAll(/[^\0-\x7f]/gu, '?'),
  'with ? beyond 16 bits': (text) => text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '?'),
  'without what is beyond 16 bits': (text) => text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, ''),
  'without quotes and backslashes': (text) => text.replaceAll(/["'\\]/g, ''),
  'without invisible characters': (text) => text.replaceAll(/\p{Cf}/gu, ''),
  'cut to 50 characters': cut(50),
  'cut to 64 characters': cut(64),
  'cut to 100 characters': cut(100),
  'cut to 128 characters': cut(128),
  'cut to 200 characters': cut(200),
  'cut to 255 bytes': (text) =>
    Buffer.from(text, 'utf8')
      .subarray(0, 255)
      .toString('utf8')
      .replace(/\ufffd+$/, ''),
} as const satisfies Record<string, (text: string) => string>;
export type TextChange = keyof typeof changes;
const allChanges = Object.keys(changes) as TextChange[];
const isCut = (name: TextChange): boolean => name.startsWith('cut');
/** Ids that are cut are compared so; texts are stored so. */
export const cutNames = allChanges.filter((name) => isCut(name) && !(name in foldings));
export const changeNames = allChanges.filter((name) => !isCut(name));

const hexOf = (value: number): string => `#${value.toString(16).padStart(6, '0').toUpperCase()}`;
const channels = (hex: string): readonly number[] =>
  [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
const joined = (parts: readonly number[]): string =>
  hexOf(parts.reduce((sum, part) => sum * 256 + Math.min(255, Math.max(0, Math.round(part))), 0));

/** What may become of a colour. */
export const colourChanges = {
  'with leading zeros lost': (hex) => `#${Number.parseInt(hex.slice(1), 16).toString(16).toUpperCase()}`,
  'with red and blue exchanged': (hex) => joined(channels(hex).toReversed()),
  'rounded to 15 bits': (hex) => joined(channels(hex).map((part) => part & 0xf8)),
  'rounded to 8 levels': (hex) => joined(channels(hex).map((part) => Math.round(part / 36.4) * 36.4)),
  'with an alpha channel': (hex) => `${hex}FF`,
  'without #': (hex) => hex.slice(1),
  'in three digits where that is possible': (hex) => hex.replace(/^#(.)\1(.)\2(.)\3$/i, '#$1$2$3'),
  'one lower in blue': (hex) => hexOf(Math.max(0, Number.parseInt(hex.slice(1), 16) - 1)),
} as const satisfies Record<string, (hex: string) => string>;
export type ColourChange = keyof typeof colourChanges;
export const colourChangeNames = Object.keys(colourChanges) as ColourChange[];
