/** `node --import …/metered.ts PROGRAM`: at its end the process says on file descriptor 3, as JSON, what it has taken. */
import { writeSync } from 'node:fs';

/** What a process took, start and all. */
export interface Metered {
  readonly cpuSeconds: number;
  readonly peakMib: number;
}

process.on('exit', () => {
  const { maxRSS, systemCPUTime, userCPUTime } = process.resourceUsage();
  const metered: Metered = {
    cpuSeconds: Math.round((systemCPUTime + userCPUTime) / 1e4) / 100,
    peakMib: Math.round(maxRSS / 1024),
  };
  writeSync(3, JSON.stringify(metered));
});
