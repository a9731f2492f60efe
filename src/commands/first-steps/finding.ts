/** One line of the examination. `part`: a run is possible, and judges less. */
export interface Finding {
  readonly state: 'good' | 'part' | 'bad';
  readonly text: string;
}

export const good = (text: string): Finding => ({ state: 'good', text });
export const part = (text: string): Finding => ({ state: 'part', text });
export const bad = (text: string): Finding => ({ state: 'bad', text });
