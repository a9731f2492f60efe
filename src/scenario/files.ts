import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { usageError } from '../exit.ts';
import { extension, importDefault, shippedScenarios } from '../program-files.ts';
import { meantText } from '../vocabulary/closest.ts';
import { isScenario, type Scenario } from './define.ts';

/** A scenario with the file that it came from. */
export interface ScenarioFile {
  readonly file: string;
  readonly scenario: Scenario;
}

/** Loads a scenario by its name in `scenarios/`, or by a path. Throws a usage error that names the file and what is wrong with it. */
export async function loadScenario(nameOrPath: string): Promise<ScenarioFile> {
  const isPath = /[/\\]|\.[cm]?[jt]s$/.test(nameOrPath);
  const file = isPath ? resolve(nameOrPath) : resolve(shippedFolder, nameOrPath + extension);
  if (!existsSync(file)) {
    const names = isPath ? [] : await shippedNames();
    const known = isPath
      ? ''
      : `${meantText(nameOrPath, names) || ';'} There are ${names.join(', ')}, or give the path of a .ts file`;
    throw usageError(
      `scenario ${JSON.stringify(nameOrPath)}: no such ${isPath ? 'file' : 'scenario'}${known}`,
    );
  }
  return { file, scenario: await importScenario(file) };
}

async function importScenario(file: string): Promise<Scenario> {
  let scenario: unknown;
  try {
    scenario = await importDefault(file);
  } catch (error) {
    throw usageError(`scenario ${file}:\n  ${error instanceof Error ? error.message : String(error)}`, error);
  }
  if (!isScenario(scenario)) {
    throw usageError(
      `scenario ${file}: expected \`export default defineScenario({ … })\` with defineScenario from 'tryon'`,
    );
  }
  return scenario;
}

export const shippedFolder = fileURLToPath(shippedScenarios);

/** Names of the shipped scenarios, sorted. */
export async function shippedNames(): Promise<string[]> {
  const files = await readdir(shippedFolder);
  return files
    .filter((file) => extname(file) === extension)
    .map((file) => basename(file, extension))
    .sort();
}
