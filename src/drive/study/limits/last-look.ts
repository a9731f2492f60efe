import { studyPhases } from '../../../vocabulary/phases.ts';
import type { Role } from '../../../vocabulary/roles.ts';
import type { StudyRequest, TimedRequest } from '../sending/prober.ts';
import {
  type ProbeChoice,
  recoveryRestWindows,
  recoveryWindows,
  restAfterTrickleWindows,
  trickleWindows,
} from './choice.ts';
import {
  type LimitsStudyOptions,
  listRequest,
  mixedVolleys,
  playProbe,
  probesInWords,
  type Track,
} from './requests.ts';

/** How often it is asked whether a key is admitted again: once would be a chance. */
const asks = 3;
/** The time before the last volley to every endpoint. */
const laterWindows = 0.1;
/** Single requests of a trickle at most, and the part of the limit that they spend at most. */
const mostSingles = 10;
const singlesPart = 0.25;
/** The part of the limit on the other key: none is rejected unless the window is longer than promised. */
const returningPart = 0.9;
const returnWindows = 1.05;
/** Of the limit: with what the last look spends it is more than the limit. */
const closingPart = 0.3;

/** The phase of a trickle and of the burst after it, separate among the probes. */
const tricklePhase = `${studyPhases.probe} T`;

/**
 * Whether every key is admitted again, and how much, if there is time for a full rest. A counter that lost its expiry
 * rejects for ever, and a study that ends at its limit would not see it.
 */
export async function lastLook(
  options: LimitsStudyOptions,
  choice: ProbeChoice,
  say: (step: string) => void,
): Promise<void> {
  const { clock, deadlineNs, keys, prober, promised, seen } = options;
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
    await prober.play(trickle(options, trickling, resting));
  }
  const kind = choice.besideRest(fromNs);
  if (kind !== undefined) {
    const track: Track = { kind, roles: ['bystander', 'bystander'] };
    say(`no requests with one key; with the other ${probesInWords([track])}`);
    await playProbe(options, track, choice.scale());
  }
  say('waiting, then testing whether rejected keys are admitted again');
  await prober.until(Math.max(clock.nowNs(), fromNs));
  const againNs = clock.nowNs();
  await prober.play(
    Array.from({ length: asks }, (_, n) =>
      refused.map((role) => ({
        atNs: againNs + (n / asks) * recoveryWindows * windowNs,
        request: listRequest(options, role, studyPhases.recovery),
      })),
    ).flat(),
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
  // More than the last look left of the limit, a window after it: what passes shows that its window was over.
  await prober.volley(times(closingPart * promised.requests, listRequest(options, 'load', tricklePhase)));
}

/**
 * Single requests on the key that the last probe left at its limit, at random within even slots. Slightly less than the
 * limit on the other, just more than a window after its last rejection: longer windows still reject it.
 */
function trickle(options: LimitsStudyOptions, trickling: Role, resting: Role): TimedRequest[] {
  const { clock, promised, random, seen } = options;
  const { requests, windowMs } = promised;
  const fromNs = clock.nowNs();
  const count = Math.max(1, Math.min(mostSingles, Math.floor(singlesPart * requests)));
  const slotNs = (trickleWindows * windowMs * 1e6) / count;
  const returnNs = Math.max(fromNs, seen.lastSentNs(resting) + returnWindows * windowMs * 1e6);
  const returning = Math.max(1, Math.floor(returningPart * requests));
  return [
    ...times(count, listRequest(options, trickling, tricklePhase)).map((request, k) => ({
      atNs: fromNs + (k + random()) * slotNs,
      request,
    })),
    ...times(returning, listRequest(options, resting, tricklePhase)).map((request) => ({
      atNs: returnNs,
      request,
    })),
  ].toSorted((a, b) => a.atNs - b.atNs);
}

function times(count: number, request: StudyRequest): StudyRequest[] {
  return Array.from({ length: Math.ceil(count) }, () => request);
}
