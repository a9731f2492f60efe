import { join } from 'node:path';
import { type GatherStore, openFolderStore } from './store.ts';

/** The store that `--gather` names. Throws usage and target errors. */
export async function openStore(gather: string, env: NodeJS.ProcessEnv): Promise<GatherStore> {
  if (!isBucket(gather)) return openFolderStore(gather);
  const { openS3Store } = await import('./s3-store.ts');
  return openS3Store(gather, env);
}

export function isBucket(gather: string): boolean {
  return gather.startsWith('s3://');
}

/** Where this machine has the runs of shards that are gathered in a place. */
export function folderOf(gather: string): string {
  return isBucket(gather) ? join('reports', gather.slice(5).replaceAll('/', '-')) : gather;
}
