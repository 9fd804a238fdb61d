import { resolve } from 'node:path';
import type { Config } from '#platform/config/config.ts';
import { existingSecret, secretKeyFile } from '#platform/crypto/secret-key.ts';
import { UsageError } from '#platform/errors.ts';
import { brandAssets } from '#http/assets.ts';
import { ClientAddresses } from '#http/client-address.ts';
import { readPrivacy } from '#site/pages/privacy.ts';
import { type Finding, problem, refusalOf } from './finding.ts';

interface StartRule {
  check: 'settings' | 'paths';
  remedy: string;
  /** @throws UsageError if the service does not start with these settings */
  apply: (config: Config) => void;
}

const readRemedy = (setting: string): string => `Correct ${setting}, or let the user of the service read the file.`;

/** What a start refuses besides the values that `readConfig` refuses. `serve`, the doctor and `config --check` have this one list. */
const START_RULES: readonly StartRule[] = [
  {
    check: 'settings',
    remedy: 'List the addresses or networks of your proxies in TRUSTED_PROXIES.',
    apply: ({ TRUSTED_PROXIES }) => void new ClientAddresses(TRUSTED_PROXIES),
  },
  { check: 'paths', remedy: readRemedy('its owner'), apply: readSecretKey },
  { check: 'paths', remedy: readRemedy('LOGO'), apply: (config) => void brandAssets(config) },
  { check: 'paths', remedy: readRemedy('PRIVACY'), apply: (config) => void readPrivacy(config) },
];

/** @throws UsageError by the first rule that refuses the start */
export function refuseStart(config: Config): void {
  for (const { apply } of START_RULES) apply(config);
}

export const checkStart = (config: Config): Finding[] =>
  START_RULES.flatMap(({ check, remedy, apply }) => {
    try {
      apply(config);
      return [];
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      return [problem(check, `${error.message.replace(/\.?$/, '.')} The service does not start.`, remedy)];
    }
  });

function readSecretKey(config: Config): void {
  try {
    existingSecret(config);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`The secret key ${resolve(secretKeyFile(config))} cannot be read: ${refusalOf(error)}.`);
  }
}
