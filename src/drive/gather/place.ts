import { join } from 'node:path';
import { assertInstalled } from '../../program-files.ts';
import { type GatherStore, openFolderStore } from './store.ts';

/** The store that `--gather` names. Throws usage and target errors. */
export async function openStore(gather: string, env: NodeJS.ProcessEnv): Promise<GatherStore> {
  if (!isBucket(gather)) return openFolderStore(gather);
  return (await bucketStores()).openS3Store(gather, env);
}

/** What only a bucket needs. Throws a usage error where its package is not installed. */
export async function bucketStores(): Promise<typeof import('./s3-store.ts')> {
  assertInstalled('s3://', /^aws4fetch$/);
  return import('./s3-store.ts');
}

export function isBucket(gather: string): boolean {
  return gather.startsWith('s3://');
}

/** Where this machine has the runs of shards that are gathered in a place. */
export function folderOf(gather: string): string {
  return isBucket(gather) ? join('reports', gather.slice(5).replaceAll('/', '-')) : gather;
}
