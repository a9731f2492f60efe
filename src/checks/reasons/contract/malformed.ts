import { counted, listed, number } from '../../../amounts.ts';
import type { Fault } from '../../../vocabulary/probes.ts';
import { requestText } from '../../diagnosis/requests.ts';
import { type Got, gotText } from './got.ts';
import { malformedText } from './malformed-words.ts';

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
