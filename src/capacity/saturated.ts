/** Past this share of busy time, a closed loop waits for the generator's event loop. */
const mostBusy = 0.9;

/** Whether a step of a closed loop says more about the generator than about the target: its one core was at its end. */
export function isSaturated({ busyShare }: { readonly busyShare: number }): boolean {
  return busyShare >= mostBusy;
}
