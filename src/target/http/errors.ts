/** The reason that an exchange is given up with when its time is up. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
  readonly code = 'ETIMEDOUT';
}

/** A request cannot be written: no header can carry a value of it. */
export class BadHeader extends TypeError {
  override readonly name = 'BadHeader';
}

/** The answer was not HTTP, or too long. `code` as undici's parser has it. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code: string;

  constructor(what: string, code = 'HPE_INVALID') {
    super(`the answer is not HTTP: ${what}`);
    this.code = code;
  }
}
