import { PerformanceObserver } from 'node:perf_hooks';
import v8 from 'node:v8';

/** What the space for young objects holds where it is kept from growing on: two halves of 8 MiB. */
const enoughBytes = 16 * 2 ** 20;

/** V8's own (`node --v8-options`). */
const usualFactor = 2;

/**
 * Keeps the space for young objects at 16 MiB until stopped. V8 doubles it up to 128 MiB, which reads as a leak in a
 * long run and does not speed up driving. V8 reads the factor at each growth; the start size is a command-line option
 * only. The factor is the process's, so it holds in workers too.
 */
export function holdYoungGeneration(): { stop(): void } {
  const look = (): void => {
    if (youngBytes() < enoughBytes) return;
    observer.disconnect();
    v8.setFlagsFromString('--semi-space-growth-factor=1');
  };
  const observer = new PerformanceObserver(look);
  observer.observe({ entryTypes: ['gc'] });
  look();
  return {
    stop() {
      observer.disconnect();
      v8.setFlagsFromString(`--semi-space-growth-factor=${usualFactor}`);
    },
  };
}

function youngBytes(): number {
  return v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
}
