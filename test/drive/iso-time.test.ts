import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isoTimes } from '../../src/drive/clock/clock.ts';

it('the time in a body is written as everybody writes it, whatever was written before', () => {
  const isoTime = isoTimes();
  const instant = fc.double({ min: 0, max: Date.UTC(2100, 0), noNaN: true });
  fc.assert(
    fc.property(instant, fc.array(fc.integer({ min: -2_000, max: 2_000 })), (epochMs, steps) => {
      for (const step of [0, ...steps]) {
        const at = Math.max(0, epochMs + step);
        expect(isoTime(at)).toBe(new Date(at).toISOString());
      }
    }),
  );
});
