import type { Alterations } from '../server.ts';

/** All of several alterations, in their order: each gets what those before it have left, and its hooks run after theirs. */
export function compose(all: readonly Alterations[]): Alterations {
  return {
    options: (options) => all.reduce((altered, alter) => alter.options?.(altered) ?? altered, options),
    parts: (parts, database, options) =>
      all.reduce((altered, alter) => alter.parts?.(altered, database, options) ?? altered, parts),
    server: (app, options) => {
      for (const alter of all) alter.server?.(app, options);
    },
  };
}
