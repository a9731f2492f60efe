const secretField = /token|secret|authorization|api[-_]?key|password/i;
const removed = '[redacted]';

/**
 * A copy of a parsed JSON body without secrets: fields that are named like one are emptied, and any known secret is
 * taken out of every other string, wherever it stands.
 */
export function redact(body: unknown, secrets: readonly string[]): unknown {
  if (typeof body === 'string') return redactText(body, secrets);
  if (Array.isArray(body)) return body.map((each) => redact(each, secrets));
  if (typeof body !== 'object' || body === null) return body;
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    const secret = secretField.test(name) && (typeof value === 'string' || typeof value === 'object');
    // Object.defineProperty: a foreign body may have a field called __proto__.
    Object.defineProperty(copy, redactText(name, secrets), {
      value: secret ? removed : redact(value, secrets),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return copy;
}

/** A text without any of the secrets. */
export function redactText(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret !== '' && clean.includes(secret)) clean = clean.replaceAll(secret, removed);
  }
  return clean;
}
