import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { usageError } from '../exit.ts';
import { allFiles } from './files.ts';
import { endDigest, type RunInfo, runDigest } from './run.ts';
import type { FileStates, Manifest } from './writer.ts';

const fileState = z.strictObject({ bytes: z.number(), sha256: z.string() });
const manifestSchema = z.strictObject({
  complete: z.boolean(),
  run: z.string().optional(),
  ended: z.string().optional(),
  files: z.record(z.string(), fileState),
  cut: z.record(z.string(), z.number()).optional(),
});

/** How the files on disk compare with what the run put there. */
export type Integrity =
  | { readonly kind: 'intact' }
  /** The writer was cut off; the torn tails, if any, are cut now, `cut` says by how many bytes. */
  | { readonly kind: 'recovered'; readonly cut: Readonly<Record<string, number>> }
  /** A file is not what was written: changed, shortened or lengthened after the run. */
  | { readonly kind: 'altered'; readonly differences: readonly string[] };

/**
 * Compares `runDir/history` with its manifest, and the run's description with the digest in it. A history without a
 * manifest was never closed: every file is cut after its last whole line and gets a manifest now, marked incomplete.
 * A run that came to its end closed its history, so there a missing manifest was taken away.
 */
export async function checkIntegrity(runDir: string, run?: RunInfo): Promise<Integrity> {
  const dir = join(runDir, 'history');
  const manifest = await readManifest(dir);
  if (manifest === undefined) {
    if (run?.ended !== undefined && run.ended.how !== 'error') {
      return { kind: 'altered', differences: ['manifest.json: missing, though the run came to its end'] };
    }
    return { kind: 'recovered', cut: await recover(dir, allFiles(run?.workers)) };
  }
  const differences: string[] = [];
  if (run !== undefined && manifest.run !== undefined && manifest.run !== runDigest(run)) {
    differences.push('run.json: says something else than at the start of the run');
  }
  if (run?.ended !== undefined && manifest.ended !== undefined && manifest.ended !== endDigest(run.ended)) {
    differences.push('run.json: says another end than that of the run');
  }
  for (const name of allFiles(run === undefined ? workersIn(manifest) : run.workers)) {
    const written = manifest.files[name];
    const found = await digest(join(dir, name));
    if (written === undefined || found === undefined) {
      differences.push(`${name}: ${found === undefined ? 'missing' : 'not in the manifest'}`);
    } else if (found.sha256 !== written.sha256 || found.bytes !== written.bytes) {
      differences.push(
        `${name}: written as ${written.bytes} bytes with SHA-256 ${written.sha256.slice(0, 12)}…, ` +
          `found ${found.bytes} bytes with ${found.sha256.slice(0, 12)}…`,
      );
    }
  }
  if (differences.length > 0) return { kind: 'altered', differences };
  return manifest.complete ? { kind: 'intact' } : { kind: 'recovered', cut: manifest.cut ?? {} };
}

/** How many workers had a segment, where no description of the run says. */
function workersIn({ files }: Manifest): number | undefined {
  const segments = Object.keys(files).filter((name) => /^requests\.\d+\.csv$/.test(name)).length;
  return segments === 0 ? undefined : segments;
}

async function readManifest(dir: string): Promise<Manifest | undefined> {
  const file = join(dir, 'manifest.json');
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    const { complete, run, ended, files, cut } = manifestSchema.parse(JSON.parse(text));
    return {
      complete,
      files,
      ...(run === undefined ? {} : { run }),
      ...(ended === undefined ? {} : { ended }),
      ...(cut === undefined ? {} : { cut }),
    };
  } catch (error) {
    throw usageError(`${file}: not a manifest of a history`, error);
  }
}

async function recover(dir: string, names: readonly string[]): Promise<Record<string, number>> {
  const cut: Record<string, number> = {};
  const files: Record<string, FileStates[string]> = {};
  for (const name of names) {
    const path = join(dir, name);
    const torn = await tornBytes(path);
    if (torn > 0) {
      await truncate(path, (await stat(path)).size - torn);
      cut[name] = torn;
    }
    files[name] = (await digest(path)) ?? { bytes: 0, sha256: '' };
  }
  const manifest: Manifest = { complete: false, files, cut };
  await writeFile(join(dir, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return cut;
}

/** Length of what follows the last line break. */
async function tornBytes(path: string): Promise<number> {
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    if (!isMissing(error)) throw error;
    await writeFile(path, '');
    return 0;
  }
  try {
    const { size } = await handle.stat();
    const chunk = Buffer.alloc(64 * 1024);
    for (let end = size; end > 0; ) {
      const start = Math.max(0, end - chunk.length);
      const { bytesRead } = await handle.read(chunk, 0, end - start, start);
      const at = chunk.subarray(0, bytesRead).lastIndexOf(0x0a);
      if (at >= 0) return size - (start + at + 1);
      end = start;
    }
    return size;
  } finally {
    await handle.close();
  }
}

async function digest(path: string): Promise<{ bytes: number; sha256: string } | undefined> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  return { bytes, sha256: hash.digest('hex') };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
