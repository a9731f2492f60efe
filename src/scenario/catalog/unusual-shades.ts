/*
 * Unusual values of shades, by what software does with them: it counts characters or bytes, compares without case, trims,
 * normalises, parses numbers, escapes for paths, and keeps reserved words for itself.
 */

/** Of the form #RRGGBB with capital letters, which every service takes: extremes, numbers with an exponent, near pairs. */
export const plainColours: readonly string[] = [
  ...['#000000', '#FFFFFF', '#00000F', '#0A0B0C', '#000123', '#123456', '#1E2345', '#9E9999', '#ABCDEF'],
  ...['#1A2B3C', '#FA2B3C', '#1A2B30', '#1A2B3F'],
];

/** Texts for people: letters of two to four bytes, combined, joined, right to left, and with a meaning in some format. */
const names: readonly string[] = [
  ...['Plain Rose', 'Rosé Doré', '桜色', 'Pêche 🍑', 'Ros\u0065\u0301 Ame\u0301lie', 'Lips 💋 👩‍🎨 ❤️‍🔥'],
  ...['أحمر شفاه', 'אדום', 'Rose\u200bwood', 'İris ıslak I i', 'A', `<b>Rose</b> & "O'Hara"; \\ --`, '=1+1'],
  ...['null', 'true', '0', '1e3', 'Twin Rose', 'Twin Rose'],
];

/** Ids: pairs that are alike to a comparison without case, to a wildcard, as numbers; what is escaped; long and reserved ones. */
function skus(unique: string): readonly string[] {
  const digits = [...unique].map((character) => character.charCodeAt(0)).join('');
  const long = (end: string): string => `start-${unique}-`.padEnd(64, 'x') + end;
  return [
    ...[
      `Case-Pair-${unique}`,
      `CASE-PAIR-${unique}`,
      `wildx${unique}`,
      `wild_${unique}`,
      digits,
      `0${digits}`,
    ],
    ...['A', 'null', 'undefined', '__proto__', 'constructor', '007', '1E2', '0x10', '-0', '9007199254740993'],
    ...[long('a'), long('b'), `l255-${unique}-`.padEnd(255, 'x'), `桜-${unique}`, `o'q"b\\-${unique}`],
    ...[`a%2Fb-${unique}`, `../${unique}`, `q?x=1&y#z;w+v,u-${unique}`],
  ];
}

/** A shade for an import, in the fields that the interface gives. */
export type CornerShade = {
  readonly sku: string;
  readonly name: string;
  readonly hex: string;
  readonly finish: string;
};

/** A catalog with unusual shades, which some shoppers use where the target took it. */
export interface CornerCatalog {
  readonly id: string;
  readonly skus: readonly string[];
}

/** Shades with one unusual value each. `unique`: goes into the ids; `finishes`: those that the service takes, in turn. */
export function cornerShades(unique: string, finishes: readonly string[]): CornerShade[] {
  const unusual: readonly Partial<CornerShade>[] = [
    ...plainColours.map((hex) => ({ hex })),
    ...names.map((name) => ({ name })),
    ...skus(unique).map((sku) => ({ sku })),
  ];
  return unusual.map((value, place) => ({
    sku: `corner-${place}-${unique}`,
    name: `Corner ${place + 1}`,
    hex: `#${(0x40_50_60 + place * 0x01_03_05).toString(16).toUpperCase()}`,
    finish: finishes[place % finishes.length] ?? '',
    ...value,
  }));
}
