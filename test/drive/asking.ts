import { Asker } from '../../src/drive/ask/ask.ts';
import { Governor, PageBudget } from '../../src/drive/ask/governor.ts';
import { Days } from '../../src/drive/clock/days.ts';
import { newProgress } from '../../src/drive/load/load.ts';
import { Recorder } from '../../src/drive/record/recorder.ts';
import { LiveStatistics } from '../../src/drive/record/statistics.ts';
import type { SetupRun } from '../../src/drive/setup/lists.ts';
import type { AnswerRecord, InteractionRecord, RequestRecord } from '../../src/history/record.ts';
import type { HistoryWriter } from '../../src/history/writer.ts';
import { generateCatalog } from '../../src/scenario/catalog/generate.ts';
import type { Scenario } from '../../src/scenario/define.ts';
import type { TargetClient } from '../../src/target/client.ts';
import { type Profile, type ProfileInput, profileSchema } from '../../src/target/profile.ts';
import { eachRole } from '../../src/vocabulary/roles.ts';
import { baseUrl, clientOf, VirtualClock } from './virtual.ts';

/** A request as a target sees it. */
export interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly bearer: string;
  readonly body: string;
}

/** What a target answers, and a header by which a list is a page. */
export interface PlayedAnswer {
  readonly status: number;
  readonly tookMs?: number;
  readonly body?: unknown;
  readonly link?: string;
}

/** All that asks such a service, and what it records. */
export class Asking {
  readonly clock = new VirtualClock();
  readonly requests: RequestRecord[] = [];
  readonly interactions: InteractionRecord[] = [];
  readonly answers: AnswerRecord[] = [];
  readonly profile: Profile;
  readonly keys;
  readonly writer: HistoryWriter;
  readonly asker: Asker;
  readonly openConnection: () => TargetClient;

  constructor(
    profile: ProfileInput,
    answerTo: (arrival: Arrival) => PlayedAnswer,
    { bystander = true }: { readonly bystander?: boolean } = {},
  ) {
    const { clock } = this;
    this.profile = profileSchema.parse(profile);
    this.keys = {
      load: { value: 'secret-load-key', from: 'test' },
      ...(bystander && { bystander: { value: 'secret-bystander-key', from: 'test' } }),
    };
    this.writer = {
      request: (record: RequestRecord) => this.requests.push(record),
      interaction: (record: InteractionRecord) => this.interactions.push(record),
      answer: (record: AnswerRecord) => this.answers.push(record),
      event: () => undefined,
      catalog: () => undefined,
    } as unknown as HistoryWriter;
    this.openConnection = () =>
      clientOf(clock, ({ authorization, body: sent, method, path }) => {
        const bearer = authorization.replace('Bearer ', '');
        const { body = {}, link, status, tookMs = 5 } = answerTo({ method, path, bearer, body: sent });
        return {
          ...{ afterMs: tookMs, status, body: method === 'HEAD' ? undefined : body },
          headers: link === undefined ? {} : { link },
        };
      });
    this.asker = this.askerUntil(() => false);
  }

  /** A run that is about to set up, with a catalog of one product. */
  setupRun(scenario: Scenario): SetupRun {
    const { asker, clock, keys, openConnection, profile, writer } = this;
    return {
      ...{ asker, baseUrl, clock, keys, openConnection, profile, scenario, writer },
      ...{ progress: newProgress(), pages: new PageBudget(), seed: 1, tag: 'tag', waitReadyMs: 5_000 },
      catalogs: eachRole((role) => generateCatalog({ seed: 1, tag: `t${role}`, products: 1 })),
      roles: ['load'],
      days: new Days(clock.zeroEpochMs, () => clock.zeroEpochMs + clock.nowNs() / 1e6),
    };
  }

  /** A further asker, which has nothing to ask any more from some moment on. */
  askerUntil(isOver: () => boolean): Asker {
    const { clock } = this;
    return new Asker({
      clock,
      client: this.openConnection(),
      recorder: new Recorder({
        writer: this.writer,
        profile: this.profile,
        secrets: Object.values(this.keys).map(({ value }) => value),
        statistics: new LiveStatistics(),
      }),
      keys: this.keys,
      governors: eachRole(() => new Governor(clock, this.profile.rate_limit)),
      windowMs: this.profile.rate_limit.windowMs,
      mayAsk: () => true,
      isOver,
    });
  }

  /** Lets time pass until it is done. */
  until<T>(work: Promise<T>): Promise<T> {
    return this.clock.play(work);
  }

  /** The most requests with the load key in any window of this length. */
  mostIn(windowMs: number): number {
    const sentNs = this.requests
      .flatMap(({ credential, sentNs: at }) => (credential === 'load' ? (at ?? []) : []))
      .toSorted((a, b) => a - b);
    const inWindow = (from: number, at: number): number =>
      sentNs.slice(at).filter((other) => other < from + windowMs * 1e6).length;
    return Math.max(...sentNs.map(inWindow));
  }
}
