/**
 * One Ctrl-C may arrive more than once: the terminal signals every process in the foreground, and npm and the
 * launcher forward it. Signals within this time are the same key press.
 */
const samePressMs = 300;

/**
 * Calls `first` at the first SIGINT or SIGTERM, and `again` at each further one with the time since the first. Returns the
 * function that ends this.
 */
export function onInterrupt(first: () => void, again: (sinceFirstMs: number) => void): () => void {
  let firstMs: number | undefined;
  const interrupt = (): void => {
    const nowMs = performance.now();
    if (firstMs === undefined) {
      firstMs = nowMs;
      first();
    } else if (nowMs - firstMs > samePressMs) again(nowMs - firstMs);
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  return () => {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  };
}
