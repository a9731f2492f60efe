import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { onInterrupt } from '../../src/commands/shell.ts';

describe('Ctrl-C', () => {
  it('that arrives three times at once is one; the next one is another; after the end there are none', async () => {
    const heard: string[] = [];
    const off = onInterrupt(
      () => heard.push('first'),
      () => heard.push('again'),
    );
    onTestFinished(off);
    for (const signal of ['SIGINT', 'SIGINT', 'SIGTERM'] as const) process.emit(signal);
    expect(heard).toEqual(['first']);
    await sleep(400);
    process.emit('SIGINT');
    process.emit('SIGTERM');
    expect(heard).toEqual(['first', 'again', 'again']);
    const listeners = process.listenerCount('SIGINT');
    off();
    expect(process.listenerCount('SIGINT')).toBe(listeners - 1);
  });
});
