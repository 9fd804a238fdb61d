import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { testImage } from '../operate/image.ts';
import { runProgram } from '../support/programs.ts';
import type { Setup } from './setup.ts';

/** Builds and runs the image from the files of a release, without git. */
export async function testContext({ report, artefacts, folder }: Setup): Promise<void> {
  const unpacked = join(folder, 'image');
  await mkdir(unpacked);
  runProgram('tar', ['--extract', '--file', artefacts.image, '--directory', unpacked]);
  await testImage(report, join(unpacked, basename(artefacts.image, '.tar.xz')));
}
