import type { DescribedOperation, DescribedResponse } from './description.ts';
import type { Contradiction } from './schemas.ts';

/** One status of an operation, as it is described or, if it is not, as it came. */
export interface StatusCoverage {
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

interface StatusCount {
  readonly status: string;
  readonly described: boolean;
  readonly has_schema: boolean;
  readonly seen: Set<number>;
  answers: number;
  bodies: number;
}

/** Counts answers by operation and status. */
export class Coverage {
  readonly #operations = new Map<
    string,
    { readonly described: boolean; readonly statuses: Map<string, StatusCount> }
  >();

  constructor(operations: readonly DescribedOperation[]) {
    for (const operation of operations) {
      const statuses = operation.responses.map((response): [string, StatusCount] => [
        response.status,
        countOf(response.status, true, hasSchema(response)),
      ]);
      this.#operations.set(nameOf(operation), { described: true, statuses: new Map(statuses) });
    }
  }

  answered(
    operation: DescribedOperation,
    response: DescribedResponse | undefined,
    status: number,
    answers: number,
  ): void {
    this.#count(nameOf(operation), response?.status, status, answers);
  }

  undescribed(name: string, status: number, answers: number): void {
    this.#count(name, undefined, status, answers);
  }

  bodyJudged(operation: DescribedOperation, response: DescribedResponse): void {
    const counted = this.#operations.get(nameOf(operation))?.statuses.get(response.status);
    if (counted !== undefined) counted.bodies++;
  }

  totals(contradictions: readonly Contradiction[]): {
    readonly coverage: readonly OperationCoverage[];
    readonly answers: number;
    readonly bodies: number;
  } {
    const coverage = [...this.#operations].map(([operation, { described, statuses }]): OperationCoverage => {
      const rows = [...statuses.values()].map(({ seen, ...row }) => ({
        ...row,
        seen: [...seen].toSorted((a, b) => a - b),
      }));
      return {
        operation,
        described,
        answers: sum(rows, 'answers'),
        contradictions: contradictions.filter(({ fault }) => fault.operation === operation).length,
        statuses: rows,
      };
    });
    const rows = coverage.flatMap(({ statuses }) => statuses);
    return { coverage, answers: sum(rows, 'answers'), bodies: sum(rows, 'bodies') };
  }

  #count(name: string, described: string | undefined, status: number, answers: number): void {
    const operation = this.#operations.get(name) ?? {
      described: false,
      statuses: new Map<string, StatusCount>(),
    };
    this.#operations.set(name, operation);
    const key = described ?? String(status);
    const counted = operation.statuses.get(key) ?? countOf(key, false, false);
    operation.statuses.set(key, counted);
    counted.seen.add(status);
    counted.answers += answers;
  }
}

function countOf(status: string, described: boolean, has_schema: boolean): StatusCount {
  return { status, described, has_schema, seen: new Set(), answers: 0, bodies: 0 };
}

function hasSchema({ media }: DescribedResponse): boolean {
  return media.some(({ schema }) => schema !== undefined);
}

function nameOf({ method, path }: DescribedOperation): string {
  return `${method} ${path}`;
}

function sum<Name extends string>(rows: readonly { readonly [name in Name]: number }[], name: Name): number {
  return rows.reduce((total, row) => total + row[name], 0);
}
