import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { usageError } from '../exit.ts';
import { isMissing } from './digest.ts';

const fileState = z.strictObject({ bytes: z.number(), sha256: z.string() });

const manifestSchema = z.strictObject({
  /** False when the writer never got to close it, and the files were recovered as they stood. */
  complete: z.boolean(),
  /** Digest of `run.json` except its end: the planned checks, and the promises. */
  run: z.string().exactOptional(),
  /** Digest of how the run ended, which `run.json` says from then on. */
  ended: z.string().exactOptional(),
  files: z.record(z.string(), fileState),
  /** Bytes of a torn last line that recovery cut, by file. */
  cut: z.record(z.string(), z.number()).exactOptional(),
  /** The copy by columns of a long history, if there is one, and the digests of the files that it was made from. */
  columnar: z
    .strictObject({
      format: z.number().exactOptional(),
      files: z.record(z.string(), fileState),
      of: z.record(z.string(), z.string()),
    })
    .exactOptional(),
});
/** `history/manifest.json`, written when a history is closed (or recovered): what each file holds, to the byte. */
export type Manifest = Readonly<z.output<typeof manifestSchema>>;

const manifestFile = 'manifest.json';

/**
 * The manifest in a history's folder; undefined if the history was never closed. Throws a usage error if it is
 * invalid.
 */
export async function readManifest(dir: string): Promise<Manifest | undefined> {
  const file = join(dir, manifestFile);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch (error) {
    throw usageError(`${file}: not a manifest of a history`, error);
  }
}

/** Writes it whole or not at all: a process that dies meanwhile leaves the one before. */
export async function writeManifest(dir: string, manifest: Manifest): Promise<void> {
  const file = join(dir, manifestFile);
  await writeFile(`${file}.new`, `${JSON.stringify(manifest, null, 2)}\n`);
  await rename(`${file}.new`, file);
}
