import { checkDisk, checkFiles } from './files.ts';
import { type Finding, guarded, type Installation } from './finding.ts';
import { checkPaths } from './paths.ts';
import { checkSettings } from './settings.ts';

/** The checks of settings and files, which need neither the database nor the network: the doctor's, and those of every start. */
export async function checkLocally(installation: Installation): Promise<Finding[]> {
  const findings = await Promise.all([
    guarded('settings', () => checkSettings(installation)),
    guarded('disk', () => checkDisk(installation)),
    guarded('files', () => checkFiles(installation)),
    guarded('paths', () => checkPaths(installation)),
  ]);
  return findings.flat();
}
