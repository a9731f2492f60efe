/** More metrics than this no server needs to name. */
const mostMetrics = 12;
/** Names as they are kept: of other characters, or longer, they would be free text. */
const metricName = /^[\w!#$%&'*+.^`|~-]{1,40}$/;

/**
 * The durations of a `Server-Timing` header, read forgivingly: `name=milliseconds`, joined by spaces. Spaces, quotes and
 * the case of `dur` do not matter, and what cannot be read is passed over. Undefined where there is no duration.
 */
export function serverTimingOf(header: unknown): string | undefined {
  if (header === undefined) return undefined;
  const kept: string[] = [];
  for (const entry of split(String(header), ',')) {
    const [name = '', ...parameters] = split(entry, ';').map((part) => part.trim());
    if (!metricName.test(name)) continue;
    const ms = parameters.map(durationOf).find((each) => each !== undefined);
    if (ms !== undefined) kept.push(`${name}=${ms}`);
    if (kept.length === mostMetrics) break;
  }
  return kept.length === 0 ? undefined : kept.join(' ');
}

function durationOf(parameter: string): number | undefined {
  const text = /^dur\s*=\s*"?\s*([\d.]+(?:e[+-]?\d+)?)\s*(?:ms)?\s*"?$/i.exec(parameter)?.[1];
  const ms = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(ms) ? Math.round(ms * 1e3) / 1e3 : undefined;
}

/** Splits at a character that is not within quotes. */
function split(text: string, at: ',' | ';'): string[] {
  return text.match(at === ',' ? /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g : /(?:[^;"]|"(?:[^"\\]|\\.)*"?)+/g) ?? [];
}
