import type { Dispatcher } from 'undici';

/**
 * Characters that a path and a field's value must not hold: a foreign token may hold anything, even a line break.
 */
const badPath = /[^\u0021-\u00ff]/;
const badValue = /[^\t\x20-\x7e\x80-\xff]/;

/** Writes requests to one host. */
export class RequestWriter {
  readonly #host: string;
  /** The last line of each field, since most fields hardly ever change. */
  readonly #lines = new Map<string, { readonly value: string; readonly line: string }>();

  constructor(host: string) {
    this.#host = host;
  }

  /**
   * A request as it goes to the wire, RFC 9112: text to be written as latin1, or bytes when its body is more than ASCII.
   * Throws a `TypeError` for what cannot be put into a head.
   */
  write({ body, headers, method, path }: Dispatcher.DispatchOptions): string | Buffer {
    if (badPath.test(path)) throw new TypeError(`not the path of a request: ${JSON.stringify(path)}`);
    let head = `${method} ${path} HTTP/1.1\r\nhost: ${this.#host}\r\nconnection: keep-alive\r\n`;
    const fields = headers as Readonly<Record<string, string>>;
    for (const name in fields) {
      // It differs in every request and is of our own making: neither remembered nor checked.
      if (name === 'traceparent') head += `traceparent: ${fields[name]}\r\n`;
      else head += this.#line(name, fields[name] ?? '');
    }
    if (typeof body !== 'string') return `${head}\r\n`;
    const bytes = Buffer.byteLength(body);
    head += `content-length: ${bytes}\r\n\r\n`;
    if (bytes === body.length) return head + body;
    return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]);
  }

  #line(name: string, value: string): string {
    const last = this.#lines.get(name);
    if (last?.value === value) return last.line;
    if (badValue.test(value)) throw new TypeError(`${name}: not the value of a header field`);
    const line = `${name}: ${value}\r\n`;
    this.#lines.set(name, { value, line });
    return line;
  }
}
