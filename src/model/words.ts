import { counted } from '../amounts.ts';
import type { FaultParams, ModelFault } from './faults/fault.ts';

/** A template with its parameters filled in: `{most:shade}` is a count with its noun. */
export function filled(template: string, params: FaultParams): string {
  return template.replaceAll(/\{(\w+)(?::(\w+))?\}/g, (_, name: string, noun: string | undefined) => {
    const value = params[name];
    if (noun !== undefined && typeof value === 'number') return counted(value, noun);
    return String(value ?? '');
  });
}

/** What is wrong, in one sentence. */
export const sentenceOf = ({ says }: ModelFault, params: FaultParams): string => filled(says, params);
