import { studyPhases } from '../../../vocabulary/phases.ts';
import { recoveryWindows, tryRecovery } from '../sending/recovery.ts';
import { probesInWords, type Track } from '../sending/track.ts';
import { closingBurst, restAfterTrickleWindows, trickle, trickleWindows } from '../sending/trickle.ts';
import { type ProbeChoice, recoveryRestWindows } from './choice.ts';
import type { LimitsStudyOptions } from './options.ts';
import { listRequest, mixedVolleys, playProbe } from './requests.ts';

/** The time before the last volley to every endpoint. */
const laterWindows = 0.1;

/** Whether every key is admitted again, and how much, if there is time for a full rest. */
export async function lastLook(
  options: LimitsStudyOptions,
  choice: ProbeChoice,
  say: (step: string) => void,
): Promise<void> {
  const { clock, deadlineNs, keys, prober, promised, random, seen } = options;
  const windowNs = promised.windowMs * 1e6;
  const refused = (['load', 'bystander'] as const).filter(
    (role) => keys[role] !== undefined && seen.wasRefused(role),
  );
  const { trickling, resting } = choice.trickleRoles();
  const isTrickling = refused.includes(trickling) && choice.hasTimeForTrickle();
  const restWindows = isTrickling ? trickleWindows + restAfterTrickleWindows : recoveryRestWindows;
  const fromNs = (isTrickling ? clock.nowNs() : prober.lastSentNs) + restWindows * windowNs;
  if (refused.length === 0 || fromNs + recoveryWindows * windowNs > deadlineNs) return;
  if (isTrickling) {
    say('a few single requests with one key; none with the other');
    await trickle({
      prober,
      request: listRequest(options, trickling, studyPhases.recovery),
      resting: listRequest(options, resting, studyPhases.recovery),
      fromNs: clock.nowNs(),
      lastSentNs: seen.lastSentNs(resting),
      promised,
      random,
    });
  }
  const kind = choice.besideRest(fromNs);
  if (kind !== undefined) {
    const track: Track = { kind, roles: ['bystander', 'bystander'] };
    say(`no requests with one key; with the other ${probesInWords([track])}`);
    await playProbe(options, track, choice.scale());
  }
  say('waiting, then testing whether rejected keys are admitted again');
  await prober.until(Math.max(clock.nowNs(), fromNs));
  await tryRecovery(
    prober,
    refused.map((role) => listRequest(options, role, studyPhases.recovery)),
    clock.nowNs(),
    windowNs,
  );
  say('slightly fewer requests than the limit, at every endpoint that shares it; then more');
  for (const [place, volley] of mixedVolleys(options, choice.sharing).entries()) {
    if (place > 1) await prober.until(clock.nowNs() + laterWindows * windowNs);
    await prober.volley(volley);
  }
  const closingNs = clock.nowNs() + restAfterTrickleWindows * windowNs;
  if (!isTrickling || closingNs >= deadlineNs) return;
  say('waiting, then a burst');
  await prober.until(closingNs);
  await closingBurst(prober, listRequest(options, 'load', studyPhases.recovery), promised);
}
