import type { ProductKind } from './catalog.ts';

/** A family of colours: ranges in HSL. A hue range may pass through 0°: [330, 380] is 330° to 20°. */
interface ColourFamily {
  readonly weight: number;
  readonly hue: readonly [from: number, to: number];
  readonly saturation: readonly [from: number, to: number];
  readonly lightness: readonly [from: number, to: number];
}

/**
 * The colours that each kind comes in, apart from complexion. Ours: lips and cheeks around hue 330–20°, wider in
 * saturation than skin; eyes mostly earth tones; polish mostly reds and pinks, then everything.
 */
export const palettes: Readonly<
  Record<Exclude<ProductKind, 'foundation' | 'concealer'>, readonly ColourFamily[]>
> = {
  lipstick: [
    { weight: 3, hue: [345, 365], saturation: [0.6, 0.9], lightness: [0.3, 0.48] },
    { weight: 3, hue: [330, 358], saturation: [0.35, 0.8], lightness: [0.48, 0.68] },
    { weight: 3, hue: [358, 380], saturation: [0.25, 0.5], lightness: [0.48, 0.7] },
    { weight: 2, hue: [330, 355], saturation: [0.4, 0.7], lightness: [0.2, 0.34] },
    { weight: 1, hue: [365, 380], saturation: [0.65, 0.9], lightness: [0.45, 0.62] },
    { weight: 1, hue: [360, 380], saturation: [0.3, 0.55], lightness: [0.24, 0.4] },
  ],
  'lip-gloss': [
    { weight: 4, hue: [335, 360], saturation: [0.4, 0.85], lightness: [0.62, 0.82] },
    { weight: 3, hue: [360, 380], saturation: [0.4, 0.75], lightness: [0.62, 0.8] },
    { weight: 2, hue: [335, 362], saturation: [0.5, 0.85], lightness: [0.42, 0.6] },
    { weight: 1, hue: [345, 375], saturation: [0.35, 0.6], lightness: [0.3, 0.45] },
  ],
  blush: [
    { weight: 4, hue: [338, 362], saturation: [0.4, 0.75], lightness: [0.6, 0.78] },
    { weight: 3, hue: [362, 382], saturation: [0.45, 0.75], lightness: [0.58, 0.75] },
    { weight: 1, hue: [335, 360], saturation: [0.35, 0.6], lightness: [0.42, 0.58] },
  ],
  eyeshadow: [
    { weight: 4, hue: [14, 38], saturation: [0.2, 0.5], lightness: [0.25, 0.6] },
    { weight: 3, hue: [18, 42], saturation: [0.25, 0.6], lightness: [0.62, 0.88] },
    { weight: 2, hue: [335, 375], saturation: [0.2, 0.5], lightness: [0.3, 0.7] },
    { weight: 1, hue: [0, 360], saturation: [0.02, 0.1], lightness: [0.12, 0.45] },
    { weight: 1, hue: [255, 320], saturation: [0.2, 0.5], lightness: [0.25, 0.6] },
    { weight: 1, hue: [80, 230], saturation: [0.25, 0.65], lightness: [0.22, 0.5] },
  ],
  'nail-polish': [
    { weight: 4, hue: [340, 368], saturation: [0.65, 0.95], lightness: [0.28, 0.52] },
    { weight: 3, hue: [328, 375], saturation: [0.4, 0.85], lightness: [0.6, 0.86] },
    { weight: 2, hue: [12, 36], saturation: [0.25, 0.55], lightness: [0.55, 0.85] },
    { weight: 2, hue: [320, 360], saturation: [0.4, 0.7], lightness: [0.14, 0.3] },
    { weight: 2, hue: [160, 285], saturation: [0.3, 0.8], lightness: [0.22, 0.75] },
    { weight: 1, hue: [75, 160], saturation: [0.2, 0.5], lightness: [0.3, 0.75] },
    { weight: 1, hue: [15, 50], saturation: [0.75, 0.95], lightness: [0.5, 0.65] },
    { weight: 1, hue: [0, 360], saturation: [0, 0.1], lightness: [0.08, 0.75] },
  ],
};
