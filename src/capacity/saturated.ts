/** Past this share of busy time, a closed loop waits for the generator's event loop. */
const mostBusy = 0.9;

/** Whether a step of a closed loop says more about the generator than about the target: its core or its sockets were used up. */
export function isSaturated(step: {
  readonly busyShare: number;
  readonly noSocket?: number | undefined;
}): boolean {
  return step.busyShare >= mostBusy || (step.noSocket ?? 0) > 0;
}
