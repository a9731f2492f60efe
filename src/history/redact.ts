const secretField = /token|secret|authorization|api[-_]?key|password/i;
const removed = '[redacted]';
const tooDeep = '[too deep]';

/** Whether a value is or holds a text that was put in place of another. */
export function isRedacted(value: unknown): boolean {
  return typeof value === 'string' && (value.includes(removed) || value === tooDeep);
}

/** Deeper than this nothing is kept: no body of the interface is, and a foreign one must not exhaust the stack. */
const deepest = 64;
/** Shorter secrets cannot be told from ordinary words in a target's texts, such as the finish `matte`. */
const shortestTold = 8;
/** From this length on no ordinary text holds a secret by chance, so it is taken out of the middle of words as well. */
const longEnoughAnywhere = 16;

/**
 * A copy of a parsed JSON body without secrets: fields with the name of a secret are emptied, and known secrets are
 * removed from every other string where they stand alone.
 */
export function redact(body: unknown, secrets: readonly string[], depth = 0): unknown {
  if (typeof body === 'string') return redactText(body, secrets);
  if (typeof body !== 'object' || body === null) return body;
  if (depth === deepest) return tooDeep;
  if (Array.isArray(body)) return body.map((each) => redact(each, secrets, depth + 1));
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    // The empty token that stands for "no further page" is no secret.
    const isSomething =
      typeof value === 'string' ? value !== '' : typeof value === 'object' && value !== null;
    const secret = secretField.test(name) && isSomething;
    // Object.defineProperty: a foreign body may have a field called __proto__.
    Object.defineProperty(copy, redactText(name, secrets), {
      value: secret ? removed : redact(value, secrets, depth + 1),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return copy;
}

/** A text without any of the secrets: long ones removed anywhere, short ones where they stand alone. */
export function redactText(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length < shortestTold || !clean.includes(secret)) continue;
    clean =
      secret.length >= longEnoughAnywhere ? clean.replaceAll(secret, removed) : removeAlone(clean, secret);
  }
  return clean;
}

const wordCharacter = /[A-Za-z0-9]/;

function removeAlone(text: string, secret: string): string {
  const [first = '', ...rest] = text.split(secret);
  return rest.reduce((done, next) => {
    const inWord = wordCharacter.test(done.at(-1) ?? '') || wordCharacter.test(next[0] ?? '');
    return done + (inWord ? secret : removed) + next;
  }, first);
}
