import { describe, expect, it } from 'vitest';
import { clockBy, clockSchema } from '../../src/target/clock.ts';

const node = process.execPath;
const instantMs = Date.parse('2028-02-29T12:00:00Z');

describe('a clock that a command sets', () => {
  it('gets the instant in place of {instant}', async () => {
    const program = "process.exit(process.argv[1] === 'at=2028-02-29T12:00:00.000Z' ? 0 : 1)";
    await expect(
      clockBy({ exec: [node, '-e', program, 'at={instant}'] })(instantMs),
    ).resolves.toBeUndefined();
  });

  it.each([
    [
      'fails: its last words',
      [node, '-e', "console.error('a\\nno right'); process.exit(3)", '{instant}'],
      'no right',
    ],
    ['is not there: that', ['./no-such-program', '{instant}'], 'ENOENT'],
  ])('is an error of the target where the command %s', async (_, exec, words) => {
    await expect(clockBy({ exec })(instantMs)).rejects.toThrow(
      new RegExp(`^profile: clock\\.exec: the clock was not set to 2028-02-29T12:00:00.000Z: .*${words}`),
    );
  });

  it('is an error of the target where nothing takes the request', async () => {
    await expect(clockBy({ post: 'http://127.0.0.1:1/clock' })(instantMs)).rejects.toThrow(
      /^profile: clock\.post: .*ECONNREFUSED/,
    );
  });
});

it.each<[string, unknown, boolean]>([
  ['a command with {instant}', { exec: ['date', '-s', '{instant}'] }, true],
  ['a command without it', { exec: ['date'] }, false],
  ['no command', { exec: [] }, false],
  ['a URL', { post: 'http://127.0.0.1:9/clock' }, true],
  ['a file', { post: 'file:///etc/passwd' }, false],
  ['both', { exec: ['a', '{instant}'], post: 'http://127.0.0.1:9/' }, false],
])('a profile may name %s: %o → %s', (_, told, is) => {
  expect(clockSchema.safeParse(told).success).toBe(is);
});
