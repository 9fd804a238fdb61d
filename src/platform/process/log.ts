import { destination, pino, type Logger, type LoggerOptions, stdTimeFunctions } from 'pino';
import { Unavailable } from '../errors.ts';

export type Log = Logger;

/** The interval of the entries about one cause of an outage: each of a thousand requests in a second has the same. */
const OUTAGE_INTERVAL_MS = 1_000;
/** Maximum causes that are remembered. */
const MAX_CAUSES = 100;

/** Maximum bytes of entries buffered while standard error cannot be written; further entries are dropped. */
const MAX_WAITING = 1024 * 1024;

/**
 * Opens the log of the process: lines on standard error, with the fields that may hold secrets redacted. A log that cannot
 * be written (a file on a full disk, a pipe without a reader) does not end the process.
 */
export function openLog(level: string, format: 'json' | 'text' = 'json'): Log {
  const redact = ['authorization', 'cookie', 'access_token', 'client_secret', 'password', 'token'];
  // Without `dest` pino would open standard output; see `output`.
  const lines = destination({ dest: 2, sync: true, maxLength: MAX_WAITING }).on('error', () => undefined);
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      redact: [...redact, ...redact.map((name) => `*.${name}`)],
      hooks: { logMethod: limitOutages() },
    },
    format === 'json' ? lines : { write: (json) => void lines.write(textOf(json)) },
  );
}

/** An entry for people: time, level, message, fields, and the stack of an error in further lines. */
function textOf(json: string): string {
  const { time, level, msg = '', err, ...fields } = JSON.parse(json) as Entry;
  const shown = Object.entries(fields).map(([name, value]) => `${name}=${shownValue(value)}`);
  const stack = err?.stack === undefined ? '' : `\n    ${err.stack.replace(/\n/g, '\n    ')}`;
  const name = (pino.levels.labels[level] ?? String(level)).toUpperCase();
  const text = `${[time, name.padEnd(5), msg, ...shown].join(' ')}${stack}\n`;
  // A terminal would obey control characters in the message of an error.
  return text.replace(/(?!\n)\p{Cc}/gu, '\u{fffd}');
}

interface Entry extends Record<string, unknown> {
  time: string;
  level: number;
  msg?: string;
  err?: { stack?: string };
}

/** Quoted, unless it is one word, so that no value can look like a field or a line. */
const shownValue = (value: unknown): string =>
  typeof value === 'string' && /^[\w./:@%+~-]+$/.test(value) ? value : JSON.stringify(value);

/** Writes one entry a second for each cause of an outage; `suppressed` counts those left out since the last entry. */
function limitOutages(): NonNullable<LoggerOptions['hooks']>['logMethod'] {
  const causes = new Map<string, { until: number; suppressed: number }>();
  return function (args, method) {
    const cause = causeOf((args[0] as { err?: unknown } | undefined)?.err);
    if (cause === undefined) return method.apply(this, args);
    const now = performance.now();
    const last = causes.get(cause);
    if (last !== undefined && now < last.until) return void last.suppressed++;
    if (causes.size >= MAX_CAUSES) causes.clear();
    causes.set(cause, { until: now + OUTAGE_INTERVAL_MS, suppressed: 0 });
    const [fields, ...message] = args as unknown as [object, ...[string]];
    method.apply(this, [last?.suppressed ? { ...fields, suppressed: last.suppressed } : fields, ...message]);
  };
}

/** The code or message of an outage; undefined for another error. */
function causeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (!(error instanceof Unavailable)) return causeOf(error.cause);
  const { code, message } = (error.cause ?? error) as { code?: string; message: string };
  return code ?? message;
}
