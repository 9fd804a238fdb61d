import { destination, pino, type Logger } from 'pino';

export type Log = Logger;

/** Opens the log of the process: JSON lines on standard error, with the fields that may hold secrets redacted. */
export function openLog(level: string): Log {
  const redact = ['authorization', 'cookie', 'access_token', 'client_secret', 'password', 'token'];
  return pino(
    { level, base: null, redact: [...redact, ...redact.map((name) => `*.${name}`)] },
    // Without `dest` pino opens standard output, which must stay closed; see `output`.
    destination({ dest: 2, sync: true }),
  );
}
