import type { Interval } from './vocabulary/bounds.ts';

/**
 * How counts, ranges, shares and spans of time read in every text for people: terminal, report, verdicts. The
 * language is English. Statuses, years and identifiers are not amounts.
 */

const grouped = formatter(6);
const oneDecimal = formatter(1);
const twoDecimals = formatter(2);

/** Made when first used: every start of the program would wait for it. */
function formatter(maximumFractionDigits: number): (value: number) => string {
  let format: Intl.NumberFormat | undefined;
  return (value) => {
    format ??= new Intl.NumberFormat('en-US', { maximumFractionDigits });
    return format.format(value);
  };
}

/** `12,345.678`; at most six decimals. */
export function number(value: number): string {
  return Number.isFinite(value) ? grouped(value) : String(value);
}

/** `1 request`, `1,167 requests`; `3 queries` where the plural is another. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${number(count)} ${count === 1 ? noun : plural}`;
}

/** `All 12 answers`, `The only answer`: for the beginning of a sentence. */
export function all(count: number, noun: string, plural = `${noun}s`): string {
  return count === 1 ? `The only ${noun}` : `All ${counted(count, noun, plural)}`;
}

/** The form of a verb that goes with a count: `verb(n, 'is', 'are')`. */
export function verb(count: number, one: string, many: string): string {
  return count === 1 ? one : many;
}

/** `36`, `36 to 40`, `at least 36`, `at most 40`. Ends that read alike are one; an infinite one is none. */
export function range(
  { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: Interval,
  text: (end: number) => string = number,
): string {
  if (text(min) === text(max)) return text(min);
  if (!Number.isFinite(max)) return Number.isFinite(min) ? `at least ${text(min)}` : 'any number';
  return Number.isFinite(min) ? `${text(min)} to ${text(max)}` : `at most ${text(max)}`;
}

/** `36 shades`, `1 shade`, `0 to 1 shades`. */
export function countedRange(bounds: Interval, noun: string, plural = `${noun}s`): string {
  return `${range(bounds)} ${bounds.min === 1 && bounds.max === 1 ? noun : plural}`;
}

/** `a, b, c and 4 more`. */
export function listed(items: readonly string[], atMost = 6): string {
  const more = items.length - atMost;
  return `${items.slice(0, atMost).join(', ')}${more > 0 ? ` and ${number(more)} more` : ''}`;
}

/** `once`, `3 times`. */
export function times(count: number): string {
  return count === 1 ? 'once' : `${number(count)} times`;
}

/** `2.9 %`, `0.25 %`; two digits that count, and 0 and 100 alone are exact. */
export function percent(share: number): string {
  return `${number(Number((share * 100).toPrecision(share >= 0.1 ? 3 : 2)))} %`;
}

/** A share with its sign: `+4.2 %`. */
export function signed(share: number): string {
  const text = percent(Math.abs(share));
  return text === '0 %' ? text : `${share > 0 ? '+' : '−'}${text}`;
}

/**
 * What 0 of `count` samples excludes: `a share above 2.9 % is excluded (95 %)`. With a larger share, none in `count`
 * samples is less likely than 5 %, or what `confidence` leaves.
 */
export function noneOf(count: number, confidence = 0.95): string {
  const share = 1 - (1 - confidence) ** (1 / count);
  // Upwards, or more would be excluded than is.
  const digits = share > 0 ? 10 ** (1 - Math.floor(Math.log10(share))) : 1;
  return `a share above ${percent(Math.min(1, Math.ceil(share * digits) / digits))} is excluded (${percent(confidence)})`;
}

/** A time that was measured, without its unit: as many decimals as are worth reading. `0.42`, `7.3`, `1,250`. */
export function milliseconds(valueMs: number): string {
  const magnitude = Math.abs(valueMs);
  if (magnitude >= 100) return grouped(Math.round(valueMs));
  return (magnitude >= 10 ? oneDecimal : twoDecimals)(valueMs);
}

/** A span for the eye: `850 ms`, `12.5 s`, `3 min 20 s`, `2 h 5 min`. */
export function span(valueMs: number): string {
  if (valueMs < 1_000) return `${Math.round(valueMs)} ms`;
  if (valueMs < 60_000) return `${oneDecimal(valueMs / 1_000)} s`;
  const seconds = Math.round(valueMs / 1_000);
  if (seconds < 3_600) return joined(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.round(seconds / 60);
  return joined(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
}

function joined(whole: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${number(whole)} ${unit}` : `${number(whole)} ${unit} ${rest} ${restUnit}`;
}

/** The length of a window, never in minutes: `60 s`, `1.5 s`, `250 ms`. */
export function seconds(valueMs: number): string {
  return valueMs < 1_000 ? `${oneDecimal(valueMs)} ms` : `${oneDecimal(valueMs / 1_000)} s`;
}

/** `1st`, `2nd`, `100th`, `101st`. */
export function ordinal(n: number): string {
  const lastTwo = n % 100;
  const ending = lastTwo >= 11 && lastTwo <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${number(n)}${ending}`;
}
