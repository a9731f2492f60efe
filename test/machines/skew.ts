import { existsSync } from 'node:fs';

/** Where Debian puts libfaketime, which shows a process another time. */
const library = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketime.so.1`;

/** Why no clock can be put wrong here; undefined where it can. */
export const noSkew = existsSync(library)
  ? undefined
  : 'libfaketime is not installed (apt-get install faketime)';

/** The environment of a process whose wall clock is wrong by so much. The file system's clock is right for it, and its monotonic one. */
export function skewed(ms: number): Readonly<Record<string, string>> {
  return {
    LD_PRELOAD: library,
    FAKETIME: `${ms < 0 ? '' : '+'}${ms / 1e3}`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
  };
}
