import { usageError } from '../exit.ts';

export interface CapArguments {
  readonly yes: boolean;
  readonly 'max-requests'?: number | undefined;
  readonly 'max-sessions'?: number | undefined;
  readonly 'max-minutes'?: number | undefined;
}

/** Throws a usage error for a cap that bounds nothing. */
export function assertCaps(caps: CapArguments): void {
  for (const name of ['max-requests', 'max-sessions', 'max-minutes'] as const) {
    const cap = caps[name];
    if (cap === undefined) continue;
    if (name === 'max-minutes' ? !(cap > 0) : !Number.isSafeInteger(cap) || cap < 1) {
      throw usageError(
        `--${name}: expected a ${name === 'max-minutes' ? 'number of minutes above 0' : 'whole number from 1'}, got ${cap}`,
      );
    }
  }
}
