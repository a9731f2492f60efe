import type { ProductKind } from './catalog.ts';

/** First parts of brand names that are not a person's. Made up; none is meant to be an existing house. */
export const brandWords = [
  'Halcyon',
  'Vesper',
  'Solène',
  'Noctua',
  'Aubade',
  'Marisol',
  'Ondine',
  'Perle',
  'Lumen',
  'Fable',
  'Sorrel',
  'Wren',
  'Ciel',
  'Ember',
  'Juniper',
  'Palais',
  'Orris',
  'Tansy',
  'Velia',
  'Nacre',
] as const;

/** The second word of a brand name. */
export const brandSuffixes = ['Beauty', 'Cosmetics', 'Paris', 'Botanica', 'Studio', 'Skin', 'Lab'] as const;

/** First parts of the names of product lines. */
export const lineAdjectives = [
  'Velvet',
  'Soft',
  'Silk',
  'Bare',
  'Second',
  'Liquid',
  'Featherlight',
  'Luminous',
  'Endless',
  'Pure',
  'Midnight',
  'Daily',
  'Cloud',
  'Quiet',
  'Modern',
  'Golden',
  'High',
  'Slow',
  'Satin',
  'Wild',
] as const;

/** Second parts of the names of product lines, by where the product goes. */
export const lineNouns: Readonly<Record<ProductKind, readonly string[]>> = {
  foundation: ['Skin', 'Veil', 'Canvas', 'Light', 'Finish', 'Hour', 'Silk', 'Focus'],
  concealer: ['Veil', 'Cover', 'Focus', 'Touch', 'Eraser', 'Light', 'Rest'],
  lipstick: ['Hour', 'Rouge', 'Kiss', 'Statement', 'Colour', 'Crush', 'Affair', 'Muse'],
  'lip-gloss': ['Glass', 'Shine', 'Nectar', 'Kiss', 'Dew', 'Drip', 'Mirror'],
  blush: ['Flush', 'Bloom', 'Cheek', 'Dawn', 'Petal', 'Glow'],
  eyeshadow: ['Gaze', 'Lid', 'Dusk', 'Story', 'Haze', 'Pigment'],
  'nail-polish': ['Lacquer', 'Coat', 'Colour', 'Shine', 'Gel', 'Varnish'],
};

/** What the product is called on its page. */
export const kindNames: Readonly<Record<ProductKind, string>> = {
  foundation: 'Foundation',
  concealer: 'Concealer',
  lipstick: 'Lipstick',
  'lip-gloss': 'Lip Gloss',
  blush: 'Blush',
  eyeshadow: 'Eyeshadow',
  'nail-polish': 'Nail Polish',
};

/** Two letters of each kind, for SKUs. */
export const kindCodes: Readonly<Record<ProductKind, string>> = {
  foundation: 'FD',
  concealer: 'CN',
  lipstick: 'LS',
  'lip-gloss': 'LG',
  blush: 'BL',
  eyeshadow: 'ES',
  'nail-polish': 'NP',
};
