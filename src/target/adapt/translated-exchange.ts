import type { IncomingHttpHeaders } from 'node:http';
import { Exchange } from '../exchange.ts';
import type { Answer, Translation } from './translation.ts';

/** An exchange with a target that speaks otherwise: its answer is read in the interface's form. */
export class TranslatedExchange<Context> extends Exchange<Context> {
  translation: Translation | undefined;
  #body: unknown;
  #wireHeaders: Readonly<IncomingHttpHeaders> | undefined;

  protected override complete(): void {
    const { headers, status } = this;
    if (status === undefined || this.translation === undefined) return;
    const body = this.wireJson();
    let answer: Answer;
    try {
      answer = this.translation.answer(this.call, { status, headers, body });
    } catch (error) {
      this.problem = `adapter: ${error instanceof Error ? error.message : String(error)}`;
      return;
    }
    if (answer.status !== status) this.wireStatus = status;
    this.#wireHeaders = headers;
    this.status = answer.status;
    this.headers = answer.headers;
    this.#body = answer.body;
  }

  override get wireHeaders(): Readonly<IncomingHttpHeaders> {
    return this.#wireHeaders ?? this.headers;
  }

  override json(): unknown {
    return this.#body;
  }
}
