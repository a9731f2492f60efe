/** Whether something is there; says aloud why it is not. */
export function isThere(what: string, whyNot: string | undefined): boolean {
  if (whyNot === undefined) return true;
  process.stderr.write(`\nSKIPPED: tests with ${what}: ${whyNot}\n`);
  return false;
}
