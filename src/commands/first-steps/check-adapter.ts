import { resolve } from 'node:path';
import { counted } from '../../amounts.ts';
import { type ExitCode, exitCode, usageError } from '../../exit.ts';
import { visible } from '../../report/text.ts';
import { loadAdapter, openTranslation } from '../../target/adapt/adapter-translation.ts';
import { checkExamples, checkRequests } from '../../target/adapt/check-translation.ts';
import { readProfileFile, resolveProfile } from '../../target/profile-layers.ts';
import type { AdapterArguments } from '../options.ts';

const marks = { right: '✓', note: '!', wrong: '✗' } as const;

/** Prints what requests become and how examples are read; returns the exit code. Throws usage errors. */
export async function checkAdapter({ file, profile: profileFile }: AdapterArguments): Promise<ExitCode> {
  const told = profileFile === undefined ? {} : readProfileFile(profileFile);
  const adapted = file === undefined ? told : { ...told, adapter: resolve(file) };
  const profile = resolveProfile(adapted, `profile ${profileFile ?? ''}`);
  const baseUrl = new URL(profile.base_url ?? 'http://localhost/v1');
  const translation = await openTranslation(profile, baseUrl);
  if (translation === undefined)
    throw usageError(
      'nothing to check: give the file of an adapter, or --profile with a map or an adapter (docs/adapt.md)',
    );
  const results = [
    ...checkRequests(translation, profile),
    ...(profile.adapter === undefined
      ? []
      : checkExamples(await loadAdapter(profile.adapter), translation, profile)),
  ];
  for (const { endpoint, kind, text } of results) {
    const [first = '', ...more] = text.split('\n').map(visible);
    const lines = [
      `${marks[kind]} ${endpoint.padEnd(15)} ${first}`,
      ...more.map((line) => ' '.repeat(18) + line),
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
  }
  const wrong = results.filter(({ kind }) => kind === 'wrong').length;
  const notes = results.filter(({ kind }) => kind === 'note').length;
  process.stdout.write(`\n${counted(wrong, 'fault')}, ${counted(notes, 'note')}. Nothing was sent.\n`);
  return wrong === 0 ? exitCode.pass : exitCode.checkFailed;
}
