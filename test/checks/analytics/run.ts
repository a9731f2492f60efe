import type { CheckResult } from '../../../src/checks/core/verdict.ts';
import { diagnose } from '../../../src/checks/diagnosis/diagnose.ts';
import type { RunInfo } from '../../../src/history/run.ts';
import type { ProfileInput } from '../../../src/target/profile.ts';
import { checkedAnalytics } from './saying.ts';
import { type Manner, Scene, type SceneQuery } from './scene.ts';

export type AnalyticsInput = NonNullable<ProfileInput['analytics']>;

/** The reference service's conventions, stated. */
export const stated: AnalyticsInput = {
  end_date: 'inclusive',
  time_zone: 'UTC',
  session_day: 'creation',
  cart_intent: 'ever',
  shades_per_session: 'distinct',
  sessions_averaged: 'all',
  top_shades: 10,
  decimals: 4,
  exclusive: true,
};
/** The same of an account that others may use. */
export const shared: AnalyticsInput = { ...stated, exclusive: false };

export const products = ['lipstick', 'blush', 'liner'];

/** Fourteen sessions on three products: some bounced, some shades tried twice, some with cart intent. */
export function shoppers(scene = new Scene()): Scene {
  scene.askRaw({}, scene.honest(), 'baseline');
  scene.visit('lipstick', ['L1', 'L2', 'L1', '+L1']);
  scene.visit('lipstick', ['L2', 'L3', 'L2', 'L2']);
  scene.visit('lipstick', ['L1', 'L3']);
  scene.visit('lipstick', ['L4', '+L4']);
  scene.visit('lipstick');
  scene.visit('lipstick');
  scene.visit('blush', ['B1', 'B1', 'B2', 'B3', '+B1']);
  scene.visit('blush', ['B1', 'B2', 'B2', 'L1']);
  scene.visit('blush');
  scene.visit('liner', ['E1', 'E2', 'E3', 'E4', 'E5', 'E1', '+E2']);
  scene.visit('liner', ['E1', 'E2', 'E1']);
  scene.visit('liner', ['E3', 'E4', '+E3']);
  scene.visit('liner');
  scene.visit('liner');
  return scene;
}

/** Asks every query twice, after the freshness bound. */
export function asked(
  scene: Scene,
  manner: Manner | ((query: SceneQuery, round: number) => Manner) = {},
): Scene {
  const of = typeof manner === 'function' ? manner : () => manner;
  const queries: SceneQuery[] = [{}, ...products.map((product) => ({ product }))];
  scene.pause(100);
  for (const query of queries) scene.ask(query, of(query, 0), 'analytics-early');
  scene.pause(11_000);
  for (const round of [1, 2]) for (const query of queries) scene.ask(query, of(query, round));
  return scene;
}

export async function verdicts(
  scene: Scene,
  analytics: AnalyticsInput = stated,
  run: Partial<RunInfo> = {},
  profile: ProfileInput = {},
): Promise<Map<string, CheckResult>> {
  const results = await scene.judge(checkedAnalytics, { profile: { ...profile, analytics }, run });
  // How soon answers are right has tests of its own, with polls, which these runs do not make.
  const judged = results.filter(({ id }) => id !== 'analytics.freshness');
  return new Map(judged.map((result) => [result.id.replace('analytics.', ''), result]));
}

export function failing(results: ReadonlyMap<string, CheckResult>): string[] {
  return [...results.values()]
    .filter(({ verdict }) => verdict === 'fail')
    .map(({ id }) => id.replace('analytics.', ''));
}

/** The codes of the causes of what failed, the likeliest first; and what none of them explains. */
export function diagnosed(results: ReadonlyMap<string, CheckResult>): string[] {
  const { causes, unexplained } = diagnose([...results.values()]);
  return [...causes.map(({ cause }) => cause.code), ...unexplained];
}

export function undecided(results: ReadonlyMap<string, CheckResult>): string[] {
  return [...results.values()]
    .filter(({ verdict }) => verdict === 'inconclusive')
    .map(({ id }) => id.replace('analytics.', ''));
}

/** An honest run with its sessions read back. */
export function honestRun(manner: Manner = {}): Scene {
  const scene = shoppers();
  scene.pause(11_000);
  for (const { sessionId } of [...scene.truth]) scene.read(sessionId);
  return asked(scene, manner);
}

/** Reads every session back. */
export function honestlyRead(scene: Scene): Scene {
  scene.pause(11_000);
  for (const { sessionId } of [...scene.truth]) scene.read(sessionId);
  return scene;
}

/** Asked before its sessions are read back. */
export function readLast(manner: (query: SceneQuery, round: number) => Manner): Scene {
  const scene = shoppers();
  scene.pause(2_000);
  asked(scene, manner);
  for (const { sessionId } of [...scene.truth]) scene.read(sessionId);
  return scene;
}

export function tiesReversed<T extends { selections: number; sku: string }>(list: readonly T[]): T[] {
  return list.toSorted((a, b) => b.selections - a.selections || (a.sku < b.sku ? 1 : -1));
}
