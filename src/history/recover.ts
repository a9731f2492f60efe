import { open, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { counted } from '../amounts.ts';
import { columnarFormat } from './columnar.ts';
import { digestFile, digestFiles, type FileState, isMissing } from './digest.ts';
import {
  allFiles,
  assertNotWritten,
  descriptionFile,
  type Manifest,
  readManifest,
  segmentCount,
  unmarkWriting,
  writeManifest,
} from './files.ts';
import { endDigest, type RunInfo, runDigest } from './run.ts';
import { bytesOf, oneThreadBytes } from './storage.ts';

/** How the files on disk compare with what the run put there. */
export type Integrity =
  | { readonly kind: 'intact' }
  /** The writer was cut off; the torn tails, if any, are cut now, `cut` says by how many bytes. */
  | { readonly kind: 'recovered'; readonly cut: Readonly<Record<string, number>> }
  /** A file differs from what was written: changed, shortened or lengthened after the run. */
  | { readonly kind: 'altered'; readonly differences: readonly string[] };

/** The state of a history's files. */
export interface Inspection {
  readonly integrity: Integrity;
  /** There is a columnar copy, and it and its CSV match the manifest. */
  readonly columnar: boolean;
}

/**
 * Compares `runDir/history` with its manifest, and the run's description with its digest. A history without a
 * manifest was never closed: every file is cut after its last whole line and gets a manifest marked incomplete.
 * Throws a usage error if another process is still writing it. If the run did end, its missing manifest was removed.
 */
export async function inspectHistory(runDir: string, run?: RunInfo): Promise<Inspection> {
  const dir = join(runDir, 'history');
  const manifest = await readManifest(dir);
  if (manifest === undefined) {
    if (run?.ended !== undefined && run.ended.how !== 'error') {
      const differences = ['manifest.json: missing, although the run ended'];
      return { integrity: { kind: 'altered', differences }, columnar: false };
    }
    return {
      integrity: { kind: 'recovered', cut: await recover(dir, allFiles(segmentCount(run ?? {}))) },
      columnar: false,
    };
  }
  const differences = [...differencesInRun(manifest, run), ...differencesInDescription(dir, run)];
  const { columnar } = manifest;
  const written = { ...columnar?.files, ...manifest.files };
  const segments =
    run === undefined
      ? Object.keys(manifest.files).filter((name) => /^requests(\.\d+)?\.csv$/.test(name)).length
      : segmentCount(run);
  const due = allFiles(segments);
  const all = [...due, ...Object.keys(columnar?.files ?? {})];
  const digests = await digestFiles(all.map((name) => join(dir, name)));
  const found = new Map(all.map((name) => [name, digests.get(join(dir, name))]));
  for (const name of all) {
    const difference = differenceIn(name, written[name], found.get(name));
    if (difference !== undefined) differences.push(difference);
  }
  return {
    integrity: differences.length > 0 ? { kind: 'altered', differences } : unaltered(manifest),
    columnar:
      columnar?.format === columnarFormat &&
      Object.entries(columnar.files).every(([name, { sha256 }]) => found.get(name)?.sha256 === sha256) &&
      Object.entries(columnar.of).every(([name, sha256]) => found.get(name)?.sha256 === sha256),
  };
}

/**
 * What `inspectHistory` finds if the history matches its manifest. Undefined if file lengths contradict that, if
 * there is no columnar copy, or below `fromBytes`, where inspecting is as fast.
 */
export async function claimOf(
  runDir: string,
  run: RunInfo,
  fromBytes: number = oneThreadBytes,
): Promise<Inspection | undefined> {
  const dir = join(runDir, 'history');
  const manifest = await readManifest(dir);
  if (manifest?.columnar?.format !== columnarFormat) return undefined;
  const files = Object.entries({ ...manifest.columnar.files, ...manifest.files });
  const names = new Set(files.map(([name]) => name));
  if (!allFiles(segmentCount(run)).every((name) => names.has(name))) return undefined;
  const sizes = await Promise.all(files.map(([name]) => bytesOf([join(dir, name)])));
  const isAsLong = files.every(([, { bytes }], at) => sizes[at] === bytes);
  const isOfThese = Object.entries(manifest.columnar.of).every(
    ([name, sha256]) => manifest.files[name]?.sha256 === sha256,
  );
  const isLong = sizes.reduce((sum, size) => sum + size, 0) >= fromBytes;
  return isAsLong && isOfThese && isLong && differencesInRun(manifest, run).length === 0
    ? { integrity: unaltered(manifest), columnar: true }
    : undefined;
}

/** A run's description says something else than when it was written. */
function differencesInRun(manifest: Manifest, run: RunInfo | undefined): string[] {
  const isOther = run !== undefined && manifest.run !== undefined && manifest.run !== runDigest(run);
  const endsOtherwise =
    run?.ended !== undefined && manifest.ended !== undefined && manifest.ended !== endDigest(run.ended);
  return [
    ...(isOther ? ['run.json: differs from the start of the run'] : []),
    ...(endsOtherwise ? ['run.json: the recorded end differs from the run’s'] : []),
  ];
}

function differencesInDescription(dir: string, run: RunInfo | undefined): string[] {
  if (run?.openapi === undefined) return [];
  const found = digestFile(join(dir, descriptionFile));
  if (found?.sha256 === run.openapi.sha256) return [];
  return [`${descriptionFile}: ${found === undefined ? 'missing' : 'differs from the start of the run'}`];
}

function unaltered({ complete, cut = {} }: Manifest): Integrity {
  return complete ? { kind: 'intact' } : { kind: 'recovered', cut };
}

/** The part of `inspectHistory` about the files. */
export async function checkIntegrity(runDir: string, run?: RunInfo): Promise<Integrity> {
  return (await inspectHistory(runDir, run)).integrity;
}

function differenceIn(
  name: string,
  written: FileState | undefined,
  found: FileState | undefined,
): string | undefined {
  if (written === undefined || found === undefined)
    return `${name}: ${found === undefined ? 'missing' : 'not in the manifest'}`;
  if (found.sha256 === written.sha256 && found.bytes === written.bytes) return undefined;
  return (
    `${name}: written as ${counted(written.bytes, 'byte')} with SHA-256 ${written.sha256.slice(0, 12)}…, ` +
    `found ${counted(found.bytes, 'byte')} with ${found.sha256.slice(0, 12)}…`
  );
}

async function recover(dir: string, names: readonly string[]): Promise<Record<string, number>> {
  await assertNotWritten(dir);
  const cut: Record<string, number> = {};
  const files: Record<string, FileState> = {};
  for (const name of names) {
    const path = join(dir, name);
    const torn = await tornBytes(path);
    if (torn > 0) {
      await truncate(path, (await stat(path)).size - torn);
      cut[name] = torn;
    }
    files[name] = digestFile(path) ?? { bytes: 0, sha256: '' };
  }
  await writeManifest(dir, { complete: false, files, cut });
  await unmarkWriting(dir);
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
