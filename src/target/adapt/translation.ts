import type { IncomingHttpHeaders } from 'node:http';
import type { Call } from '../calls.ts';

/** A request as it goes out, below the base URL. */
export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly body: string | undefined;
  /** In addition to the usual ones; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A complete answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** Parsed JSON; undefined where it is not JSON. */
  readonly body: unknown;
}

/**
 * Stands between the interface and a target that speaks otherwise: a map or an adapter. The driver, the recorder and the
 * checks see only the interface's form.
 */
export interface Translation {
  request(call: Call, authorization: string | undefined): WireRequest;
  answer(call: Call, answer: Answer): Answer;
}
