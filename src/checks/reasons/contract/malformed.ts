import { counted, listed, number } from '../../../amounts.ts';
import type { Fault } from '../../../vocabulary/probes.ts';
import { requestText } from '../words/requests.ts';
import { type Got, gotText } from './got.ts';

const ofBody: Partial<Readonly<Record<Fault, string>>> = {
  'no-json': 'a body that is not JSON',
  'list-body': 'a list as its body',
  'text-body': 'a text as its body',
  'null-body': 'null as its body',
};
const ofField: Partial<Readonly<Record<Fault, string>>> = {
  null: 'null as',
  number: 'a number as',
  list: 'a list as',
  object: 'an object as',
  text: 'a text as',
  empty: 'an empty',
  pattern: 'a malformed',
  'percent-letters': 'the percent-encoding %zz in',
  'percent-alone': 'a single % in',
  'percent-byte': 'the percent-encoding %ff in',
};

/** What is wrong with a request: `without \`sku\``, `with null as \`hex\``. Completes “a request …”. */
export function malformedText({ fault, field }: { readonly fault: Fault; readonly field: string }): string {
  if (fault === 'absent') return `without \`${field}\``;
  if (fault === 'repeated') return `with \`${field}\` twice`;
  return `with ${ofBody[fault] ?? `${ofField[fault]} \`${field}\``}`;
}

/** What is wrong with a malformed request. */
export interface MalformedPart {
  readonly endpoint: string;
  readonly field: string;
  readonly fault: Fault;
}

function requestWith(part: MalformedPart): string {
  return `${requestText(part.endpoint)} ${malformedText(part)}`;
}

/** Reasons of the check of malformed requests. */
export const malformedReasons = {
  'malformed-status': (part: MalformedPart & { status: number | null }) =>
    `Expected 4xx from ${requestWith(part)}, got ${part.status}.`,
  'malformed-stored': (part: MalformedPart & { status: number; listed: number }) =>
    `Expected nothing in the list after ${requestWith(part)}, which got ${part.status}; got ${counted(part.listed, 'shade')}.`,
  'malformed-listed': (part: MalformedPart & { listed: string }) =>
    `Expected a valid \`${part.field}\` in the list, because the target accepted ${requestWith(part)}; got ${part.listed}.`,
  'malformed-unanswered': (part: MalformedPart & { requests: number }) =>
    `Expected 4xx for ${counted(part.requests, 'request')} such as ${requestWith(part)}, got no answer to any. Other requests got answers.`,
  'malformed-unclear': (part: MalformedPart & { got: Got }) =>
    `The request ${requestWith(part)} ${gotText(part.got)}.`,
  'malformed-rejected': ({ requests }: { requests: number }) =>
    `The target rejected ${counted(requests, 'malformed request')} with 4xx, and no list shows anything of them.`,
  'malformed-accepted': (params: { requests: number; of: number; parts: readonly MalformedPart[] }) =>
    `Of ${counted(params.of, 'malformed request')}, the target accepted ${number(params.requests)}, which the interface document leaves open. These are among them: ${listed(params.parts.slice(0, 2).map(requestWith), 2)}.`,
} as const;
