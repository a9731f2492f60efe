import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { checkOpenApi } from '../../../src/checks/contract/openapi/openapi.ts';
import { render } from '../../../src/checks/core/render.ts';
import type { CheckResult } from '../../../src/checks/core/verdict.ts';
import { type History, openHistory } from '../../../src/history/history.ts';
import type { JsonObject } from '../../../src/target/json.ts';
import { unpack } from '../../frozen/folder.ts';

/** The recorded run of the reference service, opened once for the tests of a file. */
export function recordedRun(): {
  readonly history: () => History;
  /** The check of that run, as if it had been given this description. */
  readonly judged: (description: JsonObject) => Promise<CheckResult>;
} {
  let opened: History | undefined;
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tryon-openapi-'));
    unpack(join(import.meta.dirname, '../..', 'frozen', 'described'), folder);
    opened = await openHistory(folder);
  });
  afterAll(async () => {
    opened?.close();
    await rm(folder, { recursive: true, force: true });
  });
  const history = (): History => {
    if (opened === undefined) throw new Error('the recorded run is not open');
    return opened;
  };
  return {
    history,
    async judged(description) {
      const [finding] = await checkOpenApi({ ...history(), openapi: JSON.stringify(description) });
      if (finding === undefined) throw new Error('there is no check of the description');
      return render(finding);
    },
  };
}

/** A description that a test changes. Places are names with ` > ` between them. */
export class Draft {
  readonly document: JsonObject;

  constructor(document: JsonObject) {
    // By its text: a clone would keep parts that occur twice as one.
    this.document = JSON.parse(JSON.stringify(document)) as JsonObject;
  }

  at(place: string): Record<string, unknown> {
    let part: unknown = this.document;
    for (const name of place === '' ? [] : place.split(' > ')) part = (part as Record<string, unknown>)[name];
    if (typeof part !== 'object' || part === null) throw new Error(`nothing at ${place}`);
    return part as Record<string, unknown>;
  }

  /** Puts values into an object that is there. */
  set(place: string, values: JsonObject): void {
    Object.assign(this.at(place), values);
  }

  replace(place: string, value: JsonObject): void {
    const part = this.at(place);
    for (const name of Object.keys(part)) delete part[name];
    Object.assign(part, value);
  }

  remove(place: string, name: string): void {
    const part = this.at(place);
    if (!(name in part)) throw new Error(`no ${name} at ${place}`);
    delete part[name];
  }

  rename(place: string, from: string, to: string): void {
    const part = this.at(place);
    part[to] = part[from];
    this.remove(place, from);
  }
}
