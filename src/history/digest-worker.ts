import { parentPort } from 'node:worker_threads';
import { digestFile } from './digest.ts';

/** A thread that takes digests: it gets a path, and says what the file holds. */
parentPort?.on('message', (path: string) => parentPort?.postMessage(digestFile(path)));
