import { Recorder } from '../../src/drive/record/recorder.ts';
import { LiveStatistics } from '../../src/drive/record/statistics.ts';
import type { AnswerRecord, InteractionRecord, RequestRecord } from '../../src/history/record.ts';
import { profileSchema } from '../../src/target/profile.ts';

/** A recorder, and all that it has recorded. */
export function recording(
  options: Partial<Omit<ConstructorParameters<typeof Recorder>[0], 'writer' | 'statistics'>> = {},
) {
  const requests: RequestRecord[] = [];
  const interactions: InteractionRecord[] = [];
  const answers: AnswerRecord[] = [];
  const statistics = new LiveStatistics();
  const writer = {
    request: (record: RequestRecord) => void requests.push(record),
    interaction: (record: InteractionRecord) => void interactions.push(record),
    answer: (record: AnswerRecord) => void answers.push(record),
  };
  const profile = profileSchema.parse({});
  const recorder = new Recorder({ writer, profile, secrets: [], statistics, ...options });
  return { recorder, requests, interactions, answers, statistics };
}
