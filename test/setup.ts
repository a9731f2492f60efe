import { afterAll } from 'vitest';
import { cleanUpAll } from './e2e/program.ts';

// Run for each file, though modules are loaded once for many.
afterAll(cleanUpAll);
