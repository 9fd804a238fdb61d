import { checkDisk, checkFiles } from './files.ts';
import { type Finding, type Installation, problem, reasonOf } from './finding.ts';
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

/** One check that fails must not hide the results of the others. */
export async function guarded(check: string, work: () => Finding[] | Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await work();
  } catch (error) {
    return [problem(check, `It cannot be checked: ${reasonOf(error)}`, 'Run the doctor as the user of the service.')];
  }
}
