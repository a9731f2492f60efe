import {
  type DescribedMedia,
  type DescribedOperation,
  type DescribedResponse,
  type Description,
  mediaRange,
} from './description.ts';
import {
  type AnswerFault,
  type Contradiction,
  type IsHidden,
  type Mismatch,
  readingsOf,
  Schemas,
} from './schemas.ts';

/** One status of an operation, as it is described or, if it is not, as it came. */
interface StatusCoverage {
  /** `200`, `4XX` or `default`. */
  readonly status: string;
  readonly described: boolean;
  /** The statuses of its answers. */
  readonly seen: readonly number[];
  readonly answers: number;
  /** Whether a schema is described for a body. */
  readonly has_schema: boolean;
  /** Recorded bodies that were held against it. */
  readonly bodies: number;
}

/** What a run reached of one operation. `answers` is 0 where it was never called. */
export interface OperationCoverage {
  readonly operation: string;
  readonly described: boolean;
  readonly answers: number;
  readonly contradictions: number;
  readonly statuses: readonly StatusCoverage[];
}

/** Answers that are alike: requests of one route with one status. */
interface Alike {
  readonly route: Route;
  readonly status: number;
  readonly answers: number;
  readonly seqs: readonly number[];
}

/** What a run has seen of its answers. */
export interface SeenAnswers {
  /** By media type; null without one. `isEmpty`: without a body. */
  readonly kinds: readonly (Alike & { readonly type: string | null; readonly isEmpty: boolean })[];
  /** By header and value; null where the header is missing. */
  readonly headers: readonly (Alike & { readonly name: string; readonly value: string | null })[];
  /** The recorded bodies; undefined: not JSON. */
  readonly bodies: readonly (Alike & { readonly type: string | null; readonly body: unknown })[];
}

/** How answers compare with a description. */
export interface Held {
  readonly contradictions: readonly Contradiction[];
  readonly coverage: readonly OperationCoverage[];
  readonly answers: number;
  readonly bodies: number;
}

/** Holds what was seen against a description. `isHidden`: values that stand for others, which were not recorded. */
export function holdAgainst(description: Description, seen: SeenAnswers, isHidden: IsHidden): Held {
  return new Holding(description, isHidden).all(seen);
}

class Holding {
  readonly #operations: readonly DescribedOperation[];
  readonly #schemas: Schemas;
  readonly #isHidden: IsHidden;
  /** By operation and its statuses. */
  readonly #coverage = new Map<string, { readonly described: boolean; readonly rows: StatusCounts[] }>();
  readonly #found = new Map<string, { fault: AnswerFault; answers: number; seqs: number[] }>();

  constructor({ document, operations }: Description, isHidden: IsHidden) {
    this.#operations = operations;
    this.#schemas = new Schemas(document);
    this.#isHidden = isHidden;
    for (const operation of operations)
      this.#coverage.set(nameOf(operation), {
        described: true,
        rows: operation.responses.map(({ media, status }) =>
          countsOf(
            status,
            true,
            media.some(({ schema }) => schema !== undefined),
          ),
        ),
      });
  }

  all({ bodies, headers, kinds }: SeenAnswers): Held {
    for (const kind of kinds) this.#kind(kind);
    for (const header of headers) this.#header(header);
    for (const body of bodies) this.#body(body);
    const contradictions = [...this.#found.values()].toSorted((a, b) => b.answers - a.answers);
    const coverage = [...this.#coverage].map(([operation, { described, rows }]): OperationCoverage => {
      const statuses = rows.map(({ seen, ...row }) => ({
        ...row,
        seen: [...seen].toSorted((a, b) => a - b),
      }));
      const found = contradictions.filter(({ fault }) => fault.operation === operation);
      return { operation, described, answers: sum(rows, 'answers'), contradictions: found.length, statuses };
    });
    const rows = coverage.flatMap(({ statuses }) => statuses);
    return { contradictions, coverage, answers: sum(rows, 'answers'), bodies: sum(rows, 'bodies') };
  }

  /** StatusCounts answers of an operation under the status as it is described, or as it came. */
  #count(name: string, response: DescribedResponse | undefined, { answers, status }: Alike): void {
    const operation = this.#coverage.get(name) ?? { described: false, rows: [] as StatusCounts[] };
    this.#coverage.set(name, operation);
    const key = response?.status ?? String(status);
    const known = operation.rows.find((each) => each.status === key);
    const row = known ?? countsOf(key, false, false);
    if (known === undefined) operation.rows.push(row);
    row.seen.add(status);
    row.answers += answers;
  }

  #kind(kind: SeenAnswers['kinds'][number]): void {
    const { isEmpty, route, status, type } = kind;
    const operation = operationOf(this.#operations, route);
    if (operation === undefined) {
      this.#count(nameOf(route), undefined, kind);
      // A service without the operation rejects the request, and so agrees.
      if (status >= 200 && status <= 299)
        this.#note({ kind: 'operation', operation: nameOf(route), status }, kind);
      return;
    }
    const response = responseOf(operation, status);
    const name = nameOf(operation);
    this.#count(name, response, kind);
    if (response === undefined) {
      const described = operation.responses.map((each) => each.status);
      // OpenAPI has descriptions list errors that are known; a server error is judged by itself.
      if (status < 500) this.#note({ kind: 'status', operation: name, status, described }, kind);
      return;
    }
    if (response.media.length === 0 || status === 204 || status === 304) return;
    const isDescribed = type !== null && mediaOf(response, mediaRange(type)) !== undefined;
    if (isDescribed && !isEmpty) return;
    const wants = response.media.map(({ range }) => range);
    const got = isEmpty ? 'no body' : type === null ? null : mediaRange(type);
    this.#note({ kind: 'media-type', operation: name, status, wants, got }, kind);
  }

  #header(header: SeenAnswers['headers'][number]): void {
    const { name, status, value } = header;
    const { operation, response } = this.#described(header);
    const described = response?.headers.find((each) => each.name === name);
    if (operation === undefined || described === undefined) return;
    const place = { operation: nameOf(operation), status, header: name };
    if (value === null) {
      if (described.isRequired) this.#note({ kind: 'header-missing', ...place }, header);
      return;
    }
    const { schema } = described;
    if (schema === undefined || this.#isHidden(value)) return;
    const tried = readingsOf(value).map((each) => this.#schemas.mismatches(schema, each, this.#isHidden));
    if (tried.some((each) => each === undefined || each.length === 0)) return;
    // The likeliest reading is the typed one, where there is one.
    const mismatch = (tried.length > 3 ? tried[1] : tried[0])?.[0];
    if (mismatch !== undefined) this.#note({ kind: 'header-value', ...place, mismatch }, header);
  }

  #body(seen: SeenAnswers['bodies'][number]): void {
    const { body, status, type } = seen;
    const { operation, response } = this.#described(seen);
    if (operation === undefined || response === undefined || type === null) return;
    const schema = mediaOf(response, mediaRange(type))?.schema;
    const isJson = /^[\w.+-]+\/(json|[\w.-]+\+json)$/.test(mediaRange(type));
    if (schema === undefined || !isJson) return;
    const operationName = nameOf(operation);
    if (body === undefined) {
      this.#note({ kind: 'not-json', operation: operationName, status }, seen);
      return;
    }
    const mismatches = this.#schemas.mismatches(schema, body, this.#isHidden);
    if (mismatches === undefined) return;
    const counted = this.#coverage.get(operationName)?.rows.find((row) => row.status === response.status);
    if (counted !== undefined) counted.bodies++;
    for (const mismatch of mismatches)
      this.#note({ kind: 'body', operation: operationName, status, mismatch }, seen);
  }

  #described({ route, status }: Alike): {
    readonly operation: DescribedOperation | undefined;
    readonly response: DescribedResponse | undefined;
  } {
    const operation = operationOf(this.#operations, route);
    return { operation, response: operation === undefined ? undefined : responseOf(operation, status) };
  }

  #note(fault: AnswerFault, { answers, seqs }: Pick<Alike, 'answers' | 'seqs'>): void {
    const key = keyOf(fault);
    const found = this.#found.get(key) ?? { fault, answers: 0, seqs: [] };
    found.answers += answers;
    if (found.seqs.length < mostSeqs) found.seqs.push(...seqs.slice(0, mostSeqs - found.seqs.length));
    this.#found.set(key, found);
  }
}

interface StatusCounts extends Pick<StatusCoverage, 'status' | 'described' | 'has_schema'> {
  readonly seen: Set<number>;
  answers: number;
  bodies: number;
}

function countsOf(status: string, described: boolean, has_schema: boolean): StatusCounts {
  return { status, described, has_schema, seen: new Set(), answers: 0, bodies: 0 };
}

function sum<Name extends string>(rows: readonly { readonly [name in Name]: number }[], name: Name): number {
  return rows.reduce((total, row) => total + row[name], 0);
}

const mostSeqs = 10;

/** What makes two faults one: not the value that was seen. */
function keyOf(fault: AnswerFault): string {
  if (!('mismatch' in fault)) return JSON.stringify(fault);
  const { mismatch, ...place } = fault;
  const { got: _, ...demand }: Mismatch = mismatch;
  return JSON.stringify({ ...place, ...demand });
}

function nameOf({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

/** A request of an endpoint, as it goes out: placeholders stand for values (`/sessions/{session_id}`). */
export interface Route {
  readonly method: string;
  /** Below the base URL, without a query. */
  readonly path: string;
  /** The path of the base URL. */
  readonly base: string;
}

/** The described operation of a route, the most literal one of several. */
function operationOf(
  operations: readonly DescribedOperation[],
  { base, method, path }: Route,
): DescribedOperation | undefined {
  const found = operations
    .filter((each) => each.method === method)
    .map((operation) => ({
      operation,
      literal: Math.max(
        // With its servers; or as authors write it who leave the base path to a gateway.
        ...operation.bases.map((each) => likeness(`${each}${operation.path}`, `${base}${path}`)),
        likeness(operation.path, path),
        likeness(operation.path, `${base}${path}`),
      ),
    }))
    .filter(({ literal }) => literal >= 0);
  return found.toSorted((a, b) => b.literal - a.literal)[0]?.operation;
}

/** How many segments are literally equal; below 0 where the path is not one of the template. */
function likeness(template: string, path: string): number {
  const [of, is] = [template.split('/'), path.split('/')];
  if (of.length !== is.length) return -1;
  let literal = 0;
  for (const [at, segment] of of.entries()) {
    if (segment === is[at]) literal++;
    else if (!segment.includes('{')) return -1;
  }
  return literal;
}

/** What is described for a status: exactly, for its class, or for all others. */
function responseOf({ responses }: DescribedOperation, status: number): DescribedResponse | undefined {
  const keys = [String(status), `${Math.floor(status / 100)}XX`, 'default'];
  return keys.flatMap((key) => responses.find((each) => each.status === key) ?? [])[0];
}

/** What is described for a media type. */
function mediaOf({ media }: DescribedResponse, type: string): DescribedMedia | undefined {
  const ranges = [type, `${type.split('/', 1)[0] ?? ''}/*`, '*/*'];
  return ranges.flatMap((range) => media.find((each) => each.range === range) ?? [])[0];
}
