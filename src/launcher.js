#!/usr/bin/env node
// Starts the command line: from dist/ in the published package, straight from src/ in a clone. Plain JavaScript that old
// versions of Node can read, so that they get a sentence and not a syntax error.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const oldest = [22, 18];
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) {
  const program = ['./cli.ts', '../dist/src/cli.js']
    .map((path) => new URL(path, import.meta.url))
    .find((url) => existsSync(url));
  onOrphaned(() => process.kill(process.pid, 'SIGTERM'));
  // What was compiled, and stripped of its types, is kept for the next time: half of what a start takes.
  module.enableCompileCache?.();
  const { Segmenter } = Intl;
  Intl.Segmenter = segmentsLater(Segmenter);
  const { main } = await import(program.href);
  Intl.Segmenter = Segmenter;
  await main();
} else {
  // A clone brings its own Node along, as a dev dependency.
  const own = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));
  if (existsSync(own)) {
    const { spawn } = await import('node:child_process');
    const child = spawn(own, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
      stdio: 'inherit',
      env: { ...process.env, TRYON_LAUNCHER: String(process.pid) },
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
    onOrphaned(() => child.kill('SIGTERM'));
    child.on('exit', (code, signal) => {
      // Without an exit code: somebody ended it, or it crashed.
      process.exitCode = code ?? (['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'].includes(signal) ? 130 : 70);
    });
  } else {
    console.error(`tryon needs Node.js ${oldest.join('.')} or newer; this is ${process.version}.`);
    process.exitCode = 2;
  }
}

/**
 * For yargs, which makes three at its start and measures plain text with them: a fifth of what `--help` takes. So one is
 * made for the first text that is not ASCII.
 */
function segmentsLater(Segmenter) {
  let made;
  return class {
    segment(text) {
      if (/^[ -~]*$/.test(text)) return Array.from(text, (segment) => ({ segment }));
      made ??= new Segmenter();
      return made.segment(text);
    }
  };
}

/**
 * Calls `end` when whoever passes signals on is gone: a launcher on an older Node that was killed; or the shell between
 * `npx` (or `npm start`) and here, which dies of a SIGTERM that npm passes on to it and does not pass it on itself. Anything
 * else may start this program and leave it to itself.
 */
function onOrphaned(end) {
  const parent = process.ppid;
  const isLaunched = process.env.TRYON_LAUNCHER === String(parent);
  const isUnderNpm = ['exec', 'start'].includes(process.env.npm_command ?? '');
  if (!isLaunched && !isUnderNpm) return;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    end();
  }, 250);
  watch.unref();
}
