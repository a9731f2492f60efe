/** When a header says that there will be room again: so long after it was written, or at an instant of the target's clock. */
export type InstantValue = { readonly inMs: number } | { readonly atEpochMs: number };

/** A number from here on is seconds since 1970 (September 2001 and later); as a wait it would be thirty years. */
const leastEpochSeconds = 1e9;
/** And from here on milliseconds since 1970; as seconds it would be the year 5138. */
const leastEpochMs = 1e11;

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1e3, m: 60e3, h: 3_600e3, d: 86_400e3 };

/**
 * Reads a reset in whichever form it comes: seconds from now, seconds or milliseconds since 1970, a date (HTTP, ISO 8601,
 * or as JavaScript prints one), a duration such as `6m0s`. Milliseconds from now are not among them: nothing documents
 * such a header, so they are read as the seconds that a client would take them for. Undefined for anything else.
 */
export function parseReset(text: string): InstantValue | undefined {
  const value = text.trim();
  if (/^[+-]?\d{1,30}(\.\d+)?$/.test(value)) {
    const number = Number(value);
    if (number >= leastEpochMs) return { atEpochMs: number };
    // Whole milliseconds, and no negative zero, which JSON does not know.
    return number >= leastEpochSeconds ? { atEpochMs: number * 1e3 } : { inMs: Math.round(number * 1e3) + 0 };
  }
  const atEpochMs = parseDate(value);
  if (atEpochMs !== undefined) return { atEpochMs };
  if (!/^(\d{1,30}(\.\d+)?(ms|[smhd]))+$/.test(value)) return undefined;
  const parts = [...value.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)];
  return { inMs: parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (unitMs[unit] ?? 0), 0) };
}

/** Epoch milliseconds of a date that says what it is; `Date.parse` alone finds a year in almost any words. */
function parseDate(text: string): number | undefined {
  if (!/^(\d{4}-\d\d-\d\d[T ]|(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? )/.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** No client waits longer, and what is reckoned with it stays finite. */
const mostMs = 1e33;
const inSeconds = (text: string): InstantValue => ({ inMs: Math.min(mostMs, (Number(text) + 0) * 1e3) });
/** The third of the forms that a recipient accepts has no zone, and is in GMT. */
const asDate = (text: string): InstantValue | undefined => {
  const atEpochMs = parseDate(/ \d{4}$/.test(text) ? `${text} GMT` : text);
  return atEpochMs === undefined ? undefined : { atEpochMs };
};

/** Forms of a Retry-After: what tells them, and how they are read. RFC 9110 10.2.3 allows whole seconds and an HTTP date. */
const waitForms = {
  zero: { pattern: /^0+$/, read: inSeconds },
  seconds: { pattern: /^\d+$/, read: inSeconds },
  negative: { pattern: /^-\d{1,30}(\.\d+)?$/, read: inSeconds },
  fraction: { pattern: /^\d{1,30}\.\d+$/, read: inSeconds },
  'http-date': {
    pattern:
      /^([A-Z][a-z]{2,8}, \d\d[ -][A-Z][a-z]{2}[ -]\d{2,4} [\d:]{8} GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4})$/,
    read: asDate,
  },
  'other-date': { pattern: /\D/, read: asDate },
  neither: { pattern: /^/, read: () => undefined },
} as const;
export type WaitForm = keyof typeof waitForms;

/** What a Retry-After says; no value where it cannot be read. Numbers may be an epoch by mistake but are taken at their word. */
export function readWait(text: string): {
  readonly form: WaitForm;
  readonly value: InstantValue | undefined;
} {
  const trimmed = text.trim();
  const forms = Object.keys(waitForms) as WaitForm[];
  const form = forms.find((each) => waitForms[each].pattern.test(trimmed)) ?? 'neither';
  const value = waitForms[form].read(trimmed);
  return { form: value === undefined ? 'neither' : form, value };
}
