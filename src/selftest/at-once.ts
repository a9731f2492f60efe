/**
 * Runs an action on each item, `atOnce` at a time, starting in order. It starts no more once `goesOn` returns false.
 * Rejects with the first error, after those under way have ended.
 */
export async function eachAtOnce<Item>(
  items: readonly Item[],
  atOnce: number,
  action: (item: Item) => Promise<void>,
  goesOn: () => boolean,
): Promise<void> {
  const waiting = items.values();
  let failure: { readonly error: unknown } | undefined;
  const work = async (): Promise<void> => {
    for (const item of waiting) {
      if (failure !== undefined || !goesOn()) return;
      try {
        await action(item);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (failure !== undefined) throw failure.error;
}
