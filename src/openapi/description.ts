import type { JsonObject } from '../target/json.ts';

/** What a description says of a service, as far as answers can show it. */
export interface Description {
  /** The whole, for references; its schemas mean what JSON Schema 2020-12 means. */
  readonly document: JsonObject;
  /** As its author gives it: `3.1.0`. */
  readonly version: string;
  readonly operations: readonly DescribedOperation[];
}

export interface DescribedOperation {
  /** In capitals. */
  readonly method: string;
  /** `/sessions/{id}`. */
  readonly path: string;
  /** Paths of the servers that it is below, without a slash at the end. */
  readonly bases: readonly string[];
  readonly responses: readonly DescribedResponse[];
}

export interface DescribedResponse {
  /** `200`, `4XX` or `default`. */
  readonly status: string;
  readonly headers: readonly DescribedHeader[];
  /** Empty where the description says nothing of a body. */
  readonly media: readonly DescribedMedia[];
}

export interface DescribedHeader {
  /** In small letters. */
  readonly name: string;
  readonly isRequired: boolean;
  /** Reference to its schema within the document, if it has one. */
  readonly schema: string | undefined;
}

export interface DescribedMedia {
  /** `application/json`, `application/*` or any other range, in small letters and without parameters. */
  readonly range: string;
  readonly schema: string | undefined;
}

/** Every header that some response describes, in small letters and once. */
export function headerNames({ operations }: Description): string[] {
  const all = operations.flatMap(({ responses }) =>
    responses.flatMap(({ headers }) => headers.map(({ name }) => name)),
  );
  return [...new Set(all)].toSorted();
}

/** A media type without its parameters, in small letters. */
export function mediaRange(text: string): string {
  return (text.split(';', 1)[0] ?? '').trim().toLowerCase();
}
