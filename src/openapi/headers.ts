/** A number as JSON has it. */
const numeral = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * What the text of a header may stand for: it has no types, and the schema may be behind references. A value is right if
 * one of these is.
 */
export function readingsOf(text: string): unknown[] {
  const trimmed = text.trim();
  const parts = trimmed === '' ? [] : trimmed.split(',').map((part) => part.trim());
  return [trimmed, ...scalars(trimmed), parts, parts.map((part) => scalars(part)[0] ?? part)];
}

function scalars(text: string): (number | boolean)[] {
  if (numeral.test(text)) return [Number(text)];
  return text === 'true' || text === 'false' ? [text === 'true'] : [];
}
