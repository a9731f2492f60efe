/** How long top_shades may be, and from which length on it may lack shades. Undefined where nothing is known of it. */
export interface TopLengths {
  readonly most: number | undefined;
  /** A list that is shorter has to hold every shade there is. */
  readonly due: number | undefined;
}

interface CountedShade {
  readonly selections: number;
}

/**
 * What the profile states; where it leaves the length open, what the lists of one target agree on: none is longer than the longest,
 * and what is cut off is cut off at one length.
 */
export function topLengthsOf(
  stated: number | undefined,
  lists: readonly (readonly CountedShade[] | null)[],
): TopLengths {
  if (stated !== undefined) return { most: stated, due: stated };
  const most = Math.max(0, ...lists.map((list) => list?.length ?? 0));
  return most === 0 ? { most: undefined, due: undefined } : { most, due: leastCut(lists) };
}

/**
 * The least length at which a target can have cut off all of its lists. One that goes on while shades have as many selections as
 * the last that is due (SQL's WITH TIES) may list more of them.
 */
export function leastCut(lists: readonly (readonly CountedShade[] | null)[]): number {
  return Math.max(
    0,
    ...lists.map((list) => {
      const last = list?.at(-1)?.selections;
      return (list ?? []).findIndex(({ selections }) => selections === last) + 1;
    }),
  );
}
