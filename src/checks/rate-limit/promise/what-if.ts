import type { History } from '../../../history/history.ts';
import type { SentRequests } from '../../../sent/columns.ts';
import { interactionsCount, type Profile } from '../../../target/profile.ts';
import { fits, type Suspect, shown } from '../../causes/cause.ts';
import type { CheckFinding } from '../../core/verdict.ts';
import { isPastLimit, type JudgedStream, judgeStream } from '../traces/judged.ts';
import { readings, type StreamsReading } from '../traces/streams.ts';
import { judgeAdmitted } from './admitted.ts';
import { judgeEnforced } from './enforced.ts';
import { judgeIsolation } from './isolation.ts';
import { judgeRecovery } from './recovery.ts';
import { judgeWrongful } from './wrongful.ts';

/** A convention that is taken the other way than told, and what it would mean. */
interface Assumption {
  readonly profile: Profile;
  readonly cause: Suspect;
}

/** What explains a run that no reading of the profile explains: one of its conventions taken the other way. */
interface WhatIf {
  readonly cause: Suspect;
  /** The checks that do not fail by it. */
  readonly checks: ReadonlySet<CheckFinding['id']>;
}

/**
 * The first convention of the profile that, taken the other way, lets a limiter of exactly the promised limit explain every
 * answer. For a run that the profile as it is does not explain.
 */
export function whatIf(
  sent: SentRequests,
  { profile, run }: Pick<History, 'profile' | 'run'>,
  counting: readonly boolean[],
): WhatIf | undefined {
  for (const assumed of assumptions(profile)) {
    const told = { profile: assumed.profile, run };
    const isTold = assumed.profile.channel !== profile.channel;
    const counts = isTold ? counting.map((each) => !each) : counting;
    for (const reading of readings(sent, told, counts)) {
      const streams = reading.streams.map((stream) => judgeStream(stream, told));
      const past = streams.filter(isPastLimit);
      if (past.length === 0 || judgeEnforced(past).verdict !== 'pass') continue;
      const results = resultsOf(streams, sent, reading, assumed.profile);
      const fine = results.filter(({ verdict }) => verdict !== 'fail').map(({ id }) => id);
      if (fine.includes('rate-limit.wrongful')) return { cause: assumed.cause, checks: new Set(fine) };
    }
  }
  return undefined;
}

function resultsOf(
  streams: readonly JudgedStream[],
  sent: SentRequests,
  reading: StreamsReading,
  profile: Profile,
): CheckFinding[] {
  const past = streams.filter(isPastLimit);
  return [
    judgeWrongful(streams),
    judgeEnforced(past),
    judgeAdmitted(past),
    judgeRecovery(past),
    judgeIsolation(sent, reading, profile),
  ];
}

/** A broken promise is a fault of the target; a convention that does not hold may be an error in the profile. */
function assumptions(profile: Profile): Assumption[] {
  const { channel, limit_endpoints, limit_scope } = profile;
  const counts = interactionsCount(channel);
  return [
    ...(channel === 'none' || channel === 'discover' || counts === 'discover'
      ? []
      : [
          {
            profile: { ...profile, channel: { ...channel, counts_against_rate_limit: !counts } },
            cause: shown('profile-false', {
              field: 'channel.counts_against_rate_limit',
              told: String(counts),
              found: String(!counts),
            }),
          },
        ]),
    ...(limit_scope === 'shared'
      ? [
          {
            profile: { ...profile, limit_scope: 'per-key' as const },
            cause: shown('profile-false', { field: 'limit_scope', told: 'shared', found: 'per-key' }),
          },
        ]
      : []),
    ...(limit_endpoints === 'apart'
      ? [
          {
            profile: { ...profile, limit_endpoints: 'together' as const },
            cause: shown('profile-false', { field: 'limit_endpoints', told: 'apart', found: 'together' }),
          },
        ]
      : []),
    ...(limit_scope === 'per-key'
      ? [
          {
            profile: { ...profile, limit_scope: 'shared' as const },
            cause: fits('limit-shared-by-keys', {}),
          },
        ]
      : []),
    ...(limit_endpoints === 'together'
      ? [
          {
            profile: { ...profile, limit_endpoints: 'apart' as const },
            cause: fits('limit-per-endpoint', { endpoints: [] }),
          },
        ]
      : []),
  ];
}

/** A failed check that passes by the assumption names it; where that is no more than possible, beside what it named. */
export function withWhatIf(result: CheckFinding, found: WhatIf | undefined): CheckFinding {
  if (found === undefined || result.verdict !== 'fail' || !found.checks.has(result.id)) return result;
  const seqs = result.causes?.flatMap((each) => each.seqs ?? []) ?? [];
  const cause = { ...found.cause, ...(seqs.length === 0 ? {} : { seqs: seqs.slice(0, 4) }) };
  return {
    ...result,
    causes: found.cause.strength === 'shown' ? [cause] : [...(result.causes ?? []), cause],
  };
}
