import { settingNames, readConfig, SETTINGS, withDomain } from '#platform/config/config.ts';
import { systemClock } from '#platform/clock.ts';
import { environment } from '#platform/config/environment.ts';
import { withoutPassword } from '#platform/config/postgres-url.ts';
import type { Setting } from '#platform/config/setting.ts';
import { output } from '#platform/process/output.ts';
import { type Command, flag, type Input, JSON_OPTION, oneOf, option } from './command/command.ts';
import { PROXIES, proxyFile, type ProxyName } from './proxy-file.ts';

export const commands: Command[] = [
  {
    words: 'config',
    summary: 'List all settings with their value, default and meaning, or check them',
    options: {
      check: flag('Check the settings by the rules of the start instead; exit code 1 if it would fail'),
      proxy: option(
        'NAME',
        `Print the file of the proxy for the addresses instead: ${PROXIES.join(' or ')}`,
        oneOf(PROXIES),
      ),
      json: JSON_OPTION,
    },
    run: showConfig,
  },
];

async function showConfig(input: Input): Promise<number> {
  const actual = environment();
  const config = readConfig(actual);
  const proxy = input.optional('proxy') as ProxyName | undefined;
  if (proxy !== undefined) {
    output().write(proxyFile(proxy, config));
    return 0;
  }
  if (input.has('check')) {
    const [{ checkLocally }, { printFindings }] = await Promise.all([
      import('./doctor/local.ts'),
      import('./doctor/finding.ts'),
    ]);
    return printFindings(
      input,
      await checkLocally({ config, environment: actual, db: undefined, now: systemClock.now() }),
    );
  }
  const values = withDomain(actual);
  const rows = settingNames().map((name) => {
    const { default: fallback, meaning, secret } = SETTINGS[name] as Setting;
    return {
      setting: name,
      value: secret && values[name] ? '***' : withoutPassword(values[name] || fallback),
      default: fallback,
      meaning,
    };
  });
  input.print(rows);
  return 0;
}
