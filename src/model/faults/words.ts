import { counted, number } from '../../amounts.ts';
import type { FaultParams, ModelFault } from './fault.ts';

/** What parameters that name endpoints and credentials say. */
const said: Readonly<Record<string | number, string>> = {
  any: 'whichever',
  reads: 'reads',
  none: 'no key',
  near: 'a key that resembles a real one',
  token: 'the token of a session',
  'list-shades': 'GET /shades',
  'import-shades': 'POST /shades',
  'create-session': 'POST /sessions',
  'read-session': 'GET /sessions/{id}',
  analytics: 'GET /analytics/sessions',
  interact: 'the interaction channel',
};

/** A template with its parameters filled in: `{most:shade}` is a count with its noun. */
export function filled(template: string, params: FaultParams): string {
  return template.replaceAll(/\{(\w+)(?::(\w+))?\}/g, (_, name: string, noun: string | undefined) => {
    const value =
      name === 'op' || name === 'kind' ? (said[params[name] ?? ''] ?? params[name]) : params[name];
    if (typeof value === 'number') return noun === undefined ? number(value) : counted(value, noun);
    return value ?? '…';
  });
}

/** What is wrong, in one sentence. */
export const sentenceOf = ({ says }: ModelFault, params: FaultParams): string => filled(says, params);
