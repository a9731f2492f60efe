import { counted, listed } from '../../../amounts.ts';
import type { Mismatch } from '../../../target/openapi/schemas.ts';

interface StatusAnswers {
  readonly operation: string;
  readonly status: number;
  readonly answers: number;
}

/** What a keyword of JSON Schema demands of a value; `wants` is what stands behind the keyword. */
const demands: Readonly<Record<string, (wants: string) => string>> = {
  type: (wants) => `the type ${wants.replaceAll(/[[\]"]/g, '').replaceAll(',', ' or ')}`,
  required: (wants) => `the property \`${wants}\``,
  additionalProperties: (wants) => `no property \`${wants}\``,
  unevaluatedProperties: (wants) => `no property \`${wants}\``,
  enum: (wants) => `one of \`${wants}\``,
  const: (wants) => `\`${wants}\``,
  format: (wants) => `the format ${wants}`,
  pattern: (wants) => `the pattern \`${wants}\``,
  minimum: (wants) => `at least ${wants}`,
  maximum: (wants) => `at most ${wants}`,
  exclusiveMinimum: (wants) => `more than ${wants}`,
  exclusiveMaximum: (wants) => `less than ${wants}`,
  multipleOf: (wants) => `a multiple of ${wants}`,
  minLength: (wants) => `a length of at least ${wants}`,
  maxLength: (wants) => `a length of at most ${wants}`,
  minItems: (wants) => `a list of at least ${wants}`,
  maxItems: (wants) => `a list of at most ${wants}`,
  oneOf: (wants) => `exactly one of the ${wants} alternatives`,
  anyOf: (wants) => `one of the ${wants} alternatives`,
};

function differs({ at, got, keyword, wants }: Mismatch, whole: string): string {
  const demanded = demands[keyword]?.(wants) ?? `a value that meets \`${keyword}\``;
  return `Expected ${demanded} ${at === '' ? `as ${whole}` : `in \`${at}\``}, got ${got}`;
}

function inAnswers({ answers, operation, status }: StatusAnswers): string {
  return `in ${counted(answers, 'answer')} ${status} of ${operation}`;
}

/** Reasons of the check of a description in OpenAPI. */
export const openApiReasons = {
  'openapi-operation': ({ answers, operation, status }: StatusAnswers) =>
    `Expected no success where the description has no operation, got ${status} in ${counted(answers, 'answer')} from ${operation}.`,
  'openapi-status': (params: StatusAnswers & { described: readonly string[] }) =>
    `Expected ${params.described.length === 0 ? 'no answer' : `a status among ${listed(params.described)}`}, got ${params.status} in ${counted(params.answers, 'answer')} from ${params.operation}.`,
  'openapi-media-type': (params: StatusAnswers & { wants: readonly string[]; got: string | null }) =>
    `Expected ${listed(params.wants)} as media type, got ${params.got ?? 'none'} ${inAnswers(params)}.`,
  'openapi-header-missing': (params: StatusAnswers & { header: string }) =>
    `Expected the header \`${params.header}\`, got none ${inAnswers(params)}.`,
  'openapi-header-value': (params: StatusAnswers & { header: string; mismatch: Mismatch }) =>
    `${differs(params.mismatch, `the header \`${params.header}\``)} ${inAnswers(params)}.`,
  'openapi-not-json': (params: StatusAnswers) =>
    `Expected JSON by the media type, got other text ${inAnswers(params)}.`,
  'openapi-body': (params: StatusAnswers & { mismatch: Mismatch }) =>
    `${differs(params.mismatch, 'the body')} ${inAnswers(params)}.`,

  'openapi-agrees':
    'Status, media type and headers agree with the description in {answers:count answer} of {operations:count operation}. The schema agrees with {bodies:count body/bodies}.',
  'openapi-unread': ({ unread }: { unread: readonly { answer: string; answers: number }[] }) =>
    `Not recorded, and so not compared: ${listed(
      unread.map(({ answer, answers }) => `${counted(answers, 'body', 'bodies')} of ${answer}`),
      2,
    )}.`,
  'openapi-uncalled': ({ operations }: { operations: readonly string[] }) =>
    `The run did not call ${counted(operations.length, 'described operation')}: ${listed(operations, 3)}.`,
  'openapi-undescribed': 'The description does not have {operations:list 3}, and no request there succeeded.',
  'openapi-none-called': 'The run called no operation that the description has.',
  'openapi-gone': 'The description that the run stored is no longer in its folder.',
} as const;
