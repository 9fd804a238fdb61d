import { dirname, join } from 'node:path';
import { errorOutput } from '../process/output.ts';
import { settingNames, SETTINGS } from './config.ts';
import { type Environment, readEnvFile, type Warn, warnOfTypos } from './env-file.ts';
import { withSecretFiles } from './secret-files.ts';
import { type Setting, sqliteFileOf } from './setting.ts';

/**
 * The environment of a command. Real variables override `.env` of the working directory, which overrides `settings.env`
 * in the folder of the SQLite file, with PostgreSQL in DATA_FOLDER: the settings of a demo. `warn` receives a sentence for each variable that is
 * probably a misspelled setting. `NAME_FILE` of a secret setting counts as `NAME`.
 * @throws UsageError for an ambiguous line of a file, or a `NAME_FILE` that cannot be read
 */
export function environment(actual: Environment = process.env, folder = process.cwd(), warn = toStderr): Environment {
  const inFiles = settingNames().filter((name) => (SETTINGS[name] as Setting).inFile);
  const names = [...settingNames(), ...inFiles.map((name) => `${name}_FILE`)];
  warnOfTypos(actual, names, warn);
  const merged = {
    ...withSecretFiles(readEnvFile(join(folder, '.env'), names, warn), inFiles),
    ...withSecretFiles(actual, inFiles),
  };
  const database = merged['DATABASE_URL'];
  const file = database === undefined ? undefined : sqliteFileOf(database);
  const demoFolder = file === undefined ? merged['DATA_FOLDER'] : dirname(file);
  if (!database || !demoFolder) return merged;
  return { ...readEnvFile(join(demoFolder, 'settings.env'), names, warn), ...merged };
}

const toStderr: Warn = (sentence) => void errorOutput().write(`scorehall: ${sentence}\n`);
