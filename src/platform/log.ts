import { destination, pino, type Logger } from 'pino';

export type Log = Logger;

/** The log of one process: a JSON line an event on standard error, secrets struck out wherever they might stand. */
export function openLog(level: string): Log {
  const redact = ['authorization', 'cookie', 'access_token', 'client_secret', 'password', 'token'];
  return pino(
    { level, base: null, redact: [...redact, ...redact.map((name) => `*.${name}`)] },
    // With `dest` left out pino opens the standard output, see `output`.
    destination({ dest: 2, sync: true }),
  );
}
