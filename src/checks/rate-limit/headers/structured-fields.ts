/** A bare item: strings, tokens and byte sequences as their text. */
export type BareItem = string | number | boolean;

/** One member of a list or dictionary. `key`: only in a dictionary. */
export interface Member {
  readonly key?: string;
  readonly value: BareItem;
  readonly params: ReadonlyMap<string, BareItem>;
}

/**
 * Parses a list or dictionary of structured fields (RFC 9651 4.2), without inner lists, which no rate limit header has.
 * Takes also what deployments write beside the letter of it: spaces around `=` and `;`, names in capitals. Undefined when
 * the text is neither; never throws.
 */
export function parseMembers(text: string): Member[] | undefined {
  const scanner = new Scanner(text);
  const members: Member[] = [];
  for (;;) {
    const key = scanner.take(/\s*([A-Za-z*][\w.*-]*)\s*=/y);
    const value = scanner.bareItem();
    if (value === undefined) return undefined;
    members.push({
      ...(key === undefined ? {} : { key: key.toLowerCase() }),
      value,
      params: scanner.params(),
    });
    if (scanner.take(/\s*(,)/y) === undefined) return scanner.isAtEnd() ? members : undefined;
  }
}

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The first group of a sticky pattern that matches here, which is then behind. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return undefined;
    this.#at = pattern.lastIndex;
    return match[1];
  }

  bareItem(): BareItem | undefined {
    const quoted = this.take(/\s*"((?:[^"\\]|\\.)*)"/y);
    if (quoted !== undefined) return quoted.replaceAll(/\\(.)/g, '$1');
    // More digits than these are a number beyond all bounds, and none of a header.
    const digits = this.take(/\s*(-?\d{1,30}(?:\.\d+)?)(?![^\s,;])/y);
    // Plus 0, which makes 0 of -0.
    if (digits !== undefined) return Number(digits) + 0;
    const bytes = this.take(/\s*:([\w+/=-]*):/y);
    if (bytes !== undefined) return bytes;
    const flag = this.take(/\s*\?([01])/y);
    if (flag !== undefined) return flag === '1';
    return this.take(/\s*([^\s,;="()]+)/y);
  }

  params(): ReadonlyMap<string, BareItem> {
    const params = new Map<string, BareItem>();
    for (;;) {
      const key = this.take(/\s*;\s*([A-Za-z*][\w.*-]*)/y);
      if (key === undefined) return params;
      const value = this.take(/\s*(=)/y) === undefined ? true : this.bareItem();
      if (value !== undefined) params.set(key.toLowerCase(), value);
    }
  }

  isAtEnd(): boolean {
    return this.#text.slice(this.#at).trim() === '';
  }
}
