import { destination, pino, type Logger } from 'pino';

export type Log = Logger;

/** Maximum bytes of entries buffered while standard error cannot be written; further entries are dropped. */
const MAX_WAITING = 1024 * 1024;

/**
 * Opens the log of the process: JSON lines on standard error, with the fields that may hold secrets redacted. A log
 * that cannot be written (a file on a full disk, a pipe without a reader) does not end the process.
 */
export function openLog(level: string): Log {
  const redact = ['authorization', 'cookie', 'access_token', 'client_secret', 'password', 'token'];
  return pino(
    { level, base: null, redact: [...redact, ...redact.map((name) => `*.${name}`)] },
    // Without `dest` pino would open standard output; see `output`.
    destination({ dest: 2, sync: true, maxLength: MAX_WAITING }).on('error', () => undefined),
  );
}
