import { destination, pino, type Logger } from 'pino';

export type Log = Logger;

/** The log of one process: a JSON line an event on standard error, secrets struck out wherever they might stand. */
export function openLog(level: string): Log {
  const redact = ['authorization', 'cookie', 'access_token', 'client_secret', 'password', 'token'];
  return pino(
    { level, base: null, redact: [...redact, ...redact.map((name) => `*.${name}`)] },
    destination({ fd: 2, sync: true }),
  );
}
