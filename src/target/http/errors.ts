/** The reason that an exchange is given up with when its time is up. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
  readonly code = 'ETIMEDOUT';
}

/** A request cannot be written: no header can carry a value of it. */
export class BadHeader extends TypeError {
  override readonly name = 'BadHeader';
}

/** The answer was not HTTP. `code` as undici's parser has it. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code: string;

  constructor(what: string, code = 'HPE_INVALID') {
    super(`the answer is not HTTP: ${what}`);
    this.code = code;
  }
}

/** Names and values of the fields of a head, and a body: no answer of the interface comes near either. */
export const longestHeadBytes = 64 * 2 ** 10;
export const largestBodyBytes = 64 * 2 ** 20;

/** An answer that is not read to its end: its head or its body is over the bound. */
export class TooLong extends Error {
  override readonly name = 'TooLong';

  constructor(part: 'head' | 'body') {
    super(
      part === 'head'
        ? `the head of the answer has over ${longestHeadBytes / 2 ** 10} KiB`
        : `the body of the answer has over ${largestBodyBytes / 2 ** 20} MiB`,
    );
  }
}

/** The bodies that are being received fill the memory that tryon gives them. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom';
}

/** The name of the target has no address, or none was found in time. */
export class NameUnresolved extends Error {
  override readonly name = 'NameUnresolved';
}

/** This machine had no port, no file descriptor or no memory for a connection. */
export class NoSocket extends Error {
  override readonly name = 'NoSocket';

  constructor(cause: Error) {
    super(`this machine has no socket left: ${cause.message}`, { cause });
  }
}

const ownCodes: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);

/** Whether an error of a connection says that this machine had no socket for it. */
export function isOwnLimit(error: Error): boolean {
  return 'code' in error && ownCodes.has(String(error.code));
}
