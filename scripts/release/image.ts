import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Source } from './source.ts';

const CONTAINERFILE = 'deploy/Containerfile';
const COMPOSE = ['deploy/compose.yaml', 'deploy/scorehall.env.example', 'deploy/secrets'];

/** Copies what the image is built from, as the ignore file lists it, with the compose file. The commit needs no argument then. */
export async function makeContext({ folder, commit }: Source, target: string): Promise<void> {
  const ignoreFile = `${CONTAINERFILE}.dockerignore`;
  const listed = (await readFile(join(folder, ignoreFile), 'utf8')).match(/(?<=^!).+$/gm) ?? [];
  for (const path of [...listed, CONTAINERFILE, ignoreFile, ...COMPOSE])
    await cp(join(folder, path), join(target, path), { recursive: true });
  const text = await readFile(join(target, CONTAINERFILE), 'utf8');
  await writeFile(join(target, CONTAINERFILE), text.replace('"$COMMIT"', `"\${COMMIT:-${commit}}"`));
}
