import { rename, rm, writeFile } from 'node:fs/promises';

/**
 * Writes a whole file or none: on a full disk the old file stays. Throws the file system's error with the file's
 * path, which the system omits if the disk is full.
 */
export async function writeWhole(file: string, text: string): Promise<void> {
  const part = `${file}.part`;
  try {
    await writeFile(part, text);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true, recursive: true }).catch(() => undefined);
    throw new WriteFailure(file, error);
  }
}

/** A file that could not be written. */
export class WriteFailure extends Error {
  override readonly name = 'WriteFailure';
  readonly file: string;

  constructor(file: string, cause: unknown) {
    super(`${file} could not be written`, { cause });
    this.file = file;
  }
}
