import { PerformanceObserver } from 'node:perf_hooks';
import v8 from 'node:v8';

/** What the space for young objects holds where it is kept from growing on: two halves of 8 MiB. */
const enoughBytes = 16 * 2 ** 20;

/** V8's own (`node --v8-options`). */
const usualFactor = 2;

/**
 * Keeps the space for young objects at 16 MiB until it is stopped. V8 doubles it now and then, up to 128 MiB, as long as
 * something survives: in a run of hours that reads as a leak, and driving gets no faster by it. V8 looks at the factor each
 * time it would grow the space; its size at start can only be set on Node's command line. In worker threads, too: the
 * factor is the process's.
 */
export function holdYoungGeneration(): { stop(): void } {
  let isHeld = false;
  const look = (): void => {
    if (isHeld || youngBytes() < enoughBytes) return;
    isHeld = true;
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
