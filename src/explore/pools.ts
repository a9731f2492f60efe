import type {
  CallCredential,
  CallForm,
  CallRequest,
  EventFlaw,
  KeyForm,
  SessionIdForm,
  TokenForm,
} from '../model/call.ts';

/**
 * The values that the explorer draws from: few, nearly identical, and at the corners of their types. Identical by a wrong
 * comparison is what they have in common: by case, by a prefix, by Unicode form, decoded twice, as a number.
 */

export const hexes: readonly string[] = [
  ...['#000000', '#00000F', '#0A0B0C', '#000123', '#FFFFFF', '#1E2345', '#123456', '#aabbcc', '#AaBbCc'],
  ...['#F0F0F0', '#F0F0F1', '#10F0F0'],
];

export const shadeNames: readonly string[] = [
  ...['Rosé', 'Rose\u0301', 'ﬁre ² Å', 'Ｒｅｄ', '💄👩🏽‍🎤 astral', 'שָׁלוֹם', 'ı İ ß', 'a<b>&amp;"\'\\'],
  ...[' two  spaces ', '%41+%2F', 'null', '-0', '1E3', '007', 'zero\u200bwidth', 'x', '=1+1', '{{name}}'],
  ...['N'.repeat(250), 'ñ'.repeat(240), '彩'.repeat(200), `${'w'.repeat(120)} ${'w'.repeat(7)}`],
];

export const oddSkus: readonly string[] = [
  ...['R7', 'r7', 'R', 'R7-1', 'é', 'e\u0301', 'L'.repeat(255), `${'L'.repeat(254)}M`],
  ...['007', '7', 'constructor', 'a/b c+d', '💄', 'R7_', 'R%37', 'R7 '],
];

/** Locales of the form ll-CC that libraries treat differently. */
export const localePool: readonly string[] = [
  ...['en-GB', 'de-DE', 'he-IL', 'id-ID', 'zh-CN', 'fr-CA', 'nb-NO', 'yi-US', 'ja-JP', 'pt-BR'],
  ...['ar-EG', 'sr-RS', 'tl-PH', 'en-US', 'tr-TR', 'pt-PT'],
];

/** Ids of catalogs and products, under the tag of a run. */
export const catalogPool = (tag: string): readonly string[] =>
  [
    ...['-cat', '-ca', '-CAT', '-cat/é+%2F ü', `${longId}1`, `${longId}2`],
    ...['-cat-late', '-cat_late', '-cat-never', '-cat-order'],
  ].map((end) => tag + end);
/** Longer than a column of 32 characters, and not than one of 64. */
const longId = `-cat-${'0123456789'.repeat(3)}-`;
export const productPool = (tag: string): readonly string[] =>
  ['-p', '-P', '-p1', '-p/+é%2F', '-p%'].map((end) => tag + end);

/** Sizes of imports. 500.5: 500 shades of the longest names. */
export const importSizes: readonly number[] = [
  ...[1, 1, 1, 1, 2, 2, 3, 5, 12, 12, 12, 25, 26, 30, 51, 101, 120, 201, 250, 499, 500, 500.5, 501],
];
export const batchSizes: readonly number[] = [...[1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 5, 5, 12, 26, 51, 101, 130]];

/** Finishes that cosmetics have. */
export const otherFinishes = ['gloss', 'satin'] as const;

export const eventFlaws: readonly EventFlaw[] = [
  'without a type',
  'of an unknown type',
  'without an instant',
];

export const keyForms: readonly KeyForm[] = [
  ...(['unknown', 'without the last character', 'with a further character'] as const),
  ...(['with another last character', 'with another 73rd byte', 'in the other case', 'twice'] as const),
  ...([
    'in quotes',
    'cut to 8 characters',
    'cut to 12 characters',
    'cut to 16 characters',
    'cut to 20 characters',
    'cut to 24 characters',
    'cut to 32 characters',
  ] as const),
  ...(['cut to 36 characters', 'cut to 64 characters', 'cut to 72 characters'] as const),
];
export const idForms: readonly SessionIdForm[] = [
  'unknown',
  'in the other case',
  'without the last character',
  'with a further character',
  'with another last character',
  'not decodable',
];

export const tokenForms: readonly TokenForm[] = [
  ...(['without the last character', 'with a further character'] as const),
  ...(['with other last characters', 'in the other case'] as const),
];

/** A way to ask that is not as it should be: who asks, for what, in which form. */
export interface Oddity {
  readonly op: CallRequest['op'];
  /** `own`: the key that the call would have; `token`: the token of some session. */
  readonly who: 'own' | 'token' | 'other token' | CallCredential['kind'];
  readonly keyForm?: KeyForm;
  readonly tokenForm?: TokenForm;
  readonly form?: CallForm;
  readonly misspelt?: SessionIdForm;
  /** An import of no shades. */
  readonly isEmpty?: boolean;
}

const reads = ['list-shades', 'read-session', 'analytics'] as const;
const writes = ['import-shades', 'create-session', 'interact'] as const;
const keyed = [...reads, 'import-shades', 'create-session'] as const;

/** Each credential that is not good, with each operation; and each malformed way to ask, with a good key and without. */
export const oddities: readonly Oddity[] = [
  ...keyed.flatMap((op): Oddity[] => [
    { op, who: 'none' },
    { op, who: 'token' },
    { op, who: 'near', keyForm: 'unknown' },
  ]),
  // What does not exist is asked for without a key, too.
  { op: 'read-session', who: 'none', misspelt: 'unknown' },
  { op: 'read-session', who: 'near', keyForm: 'unknown', misspelt: 'unknown' },
  // Twice, since one request without an answer shows nothing.
  { op: 'read-session', who: 'own', misspelt: 'not decodable' },
  { op: 'read-session', who: 'own', misspelt: 'not decodable' },
  ...keyForms.map((keyForm, at): Oddity => ({ op: keyed[at % 3] ?? 'list-shades', who: 'near', keyForm })),
  ...(['none', 'key', 'near', 'other token', 'other token', 'other token', 'other token'] as const).map(
    (who): Oddity => ({ op: 'interact', who, ...(who === 'near' && { keyForm: 'unknown' }) }),
  ),
  ...tokenForms.map((tokenForm): Oddity => ({ op: 'interact', who: 'near token', tokenForm })),
  { op: 'import-shades', who: 'own', isEmpty: true },
  ...reads.flatMap((op): Oddity[] => [
    { op, who: 'none', form: 'head' },
    { op, who: op === 'list-shades' ? 'none' : 'own', form: 'slash' },
  ]),
  ...writes.flatMap((op): Oddity[] => [
    { op, who: 'none', form: 'broken-json' },
    { op, who: 'none', form: 'no-fields' },
    { op, who: 'own', form: 'array' },
    { op, who: 'own', form: 'broken-json' },
  ]),
];
