import { appendFileSync, chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { UsageError } from '#platform/errors.ts';

/** The file of settings: `.env` of a folder, or the EnvironmentFile of a unit. Both have lines of `NAME=value`. */
export class SettingsFile {
  readonly path: string;
  readonly values: Readonly<Record<string, string>>;

  constructor(path: string) {
    this.path = path;
    this.values = attempt(path, 'read', () =>
      existsSync(path) ? (parseEnv(readFileSync(path, 'utf8')) as Record<string, string>) : {},
    );
  }

  /** Whether the file has the setting, or names a file with its value. */
  has(name: string): boolean {
    return Boolean(this.values[name] || this.values[`${name}_FILE`]);
  }

  /** Adds settings that the file lacks, and keeps its other lines. Only the owner can read a new file. */
  add(values: Readonly<Record<string, string>>): SettingsFile {
    const lines = Object.entries(values).map(([name, value]) => `${name}=${quoted(name, value)}\n`);
    const text = `# Written by scorehall setup. All settings: docs/settings.md.\n${lines.join('')}`;
    attempt(this.path, 'written', () => {
      if (!existsSync(this.path)) return writeFileSync(this.path, text, { mode: 0o600, flag: 'wx' });
      chmodSync(this.path, statSync(this.path).mode & 0o770);
      appendFileSync(this.path, `${readFileSync(this.path, 'utf8').endsWith('\n') ? '' : '\n'}${text}`);
    });
    return new SettingsFile(this.path);
  }
}

/** In the quotes that Node, systemd and Docker understand alike. */
function quoted(name: string, value: string): string {
  if (/^[\p{L}\p{N}_@.:/,+<>=?&%~!*()[\] -]*$/u.test(value)) return value;
  if (!/['\r\n]/.test(value)) return `'${value}'`;
  if (!/["\\$`\r\n]/.test(value)) return `"${value}"`;
  throw new UsageError(
    `${name} can be in the file of settings without line breaks, and with one kind of quotes alone.`,
  );
}

function attempt<T>(path: string, done: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(`The file of settings ${path} cannot be ${done} (${code ?? message}).`);
  }
}
