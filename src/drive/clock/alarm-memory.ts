/** The memory that a thread and its timer thread share. */
export interface AlarmMemory {
  /** The next instant to wake at, as `process.hrtime` counts, `noInstant`, or `theEnd`. */
  readonly dueNs: BigInt64Array<SharedArrayBuffer>;
  /** How often the timer thread has woken the other. */
  readonly rings: Int32Array<SharedArrayBuffer>;
}

export const noInstant = 0n;
/** The timer thread has nothing more to do. */
export const theEnd = -1n;

export function alarmMemory(): AlarmMemory {
  return {
    dueNs: new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)),
    rings: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)),
  };
}
