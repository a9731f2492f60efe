import { usageError } from '../../exit.ts';
import { importDefault } from '../../program-files.ts';
import { type Adapter, isAdapter } from './define-adapter.ts';

/** Loads the adapter in a file. Throws a usage error that names the file and what is wrong with it. */
export async function loadAdapter(file: string): Promise<Adapter> {
  let adapter: unknown;
  try {
    adapter = await importDefault(file);
  } catch (error) {
    throw usageError(`adapter ${file}: ${error instanceof Error ? error.message : String(error)}`, error);
  }
  if (isAdapter(adapter)) return adapter;
  throw usageError(
    `adapter ${file}: expected \`export default defineAdapter({ … })\` with defineAdapter from 'tryon'`,
  );
}
