import { readFileSync } from 'node:fs';

/** What a generator tells of itself at its end, as its last line. Whole process: start-up and all. */
export interface Usage {
  readonly requests: number;
  /** Answers with a status of 2xx; anything less and the measurement is void. */
  readonly succeeded: number;
  readonly seconds: number;
  readonly cpuUs: number;
  readonly peakRssMib: number;
  /** Resident memory on the way, if it was looked at. */
  readonly rssMib: readonly number[];
}

export function tellUsage(
  requests: number,
  succeeded: number,
  seconds: number,
  rssMib: readonly number[] = [],
): void {
  const { systemCPUTime, userCPUTime } = process.resourceUsage();
  const usage: Usage = {
    requests,
    succeeded,
    seconds,
    cpuUs: userCPUTime + systemCPUTime,
    peakRssMib: peakRssMib(),
    rssMib,
  };
  process.stdout.write(`${JSON.stringify(usage)}\n`);
}

/** `maxRSS` would count what the process was before its program was loaded: a copy of the one that started it. */
function peakRssMib(): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1_024;
}

/** Connections that every generator uses, and so requests in flight at most. */
export const connections = 50;

/** Events in a journey: one session, these, and the session read back. */
export const eventsPerJourney = 3;

export const apiKey = 'bench-key';
