/** What came back was not HTTP, or more of it than anybody would read. `code` as undici's parser has it. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code: string;

  constructor(what: string, code = 'HPE_INVALID') {
    super(`the answer is not HTTP: ${what}`);
    this.code = code;
  }
}
