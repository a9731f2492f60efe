import type { Fault } from '../../../vocabulary/probes.ts';

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
