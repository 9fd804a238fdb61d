import { settingNames, readConfig, SETTINGS } from '#platform/config/config.ts';
import { environment } from '#platform/config/environment.ts';
import type { Setting } from '#platform/config/setting.ts';
import { type Command, type Input, JSON_OPTION, printTable } from './command/command.ts';

export const commands: Command[] = [
  {
    words: 'config',
    summary: 'List all settings with their value, default and meaning',
    options: { json: JSON_OPTION },
    run: showConfig,
  },
];

async function showConfig(input: Input): Promise<void> {
  const actual = environment();
  readConfig(actual);
  const rows = settingNames().map((name) => {
    const { default: fallback, meaning, secret } = SETTINGS[name] as Setting;
    return {
      setting: name,
      value: secret && actual[name] ? '***' : withoutPassword(actual[name] || fallback),
      default: fallback,
      meaning,
    };
  });
  printTable(input, rows);
}

/** Replaces the password in a URL such as `postgres://user:password@host`. */
function withoutPassword(value: string): string {
  return value.replace(/(\/\/[^:/@]*:)[^@/]*@/, '$1***@');
}
