import { scorehall } from '#test/cli/scorehall.ts';
import { fileName, type Recording } from './recording.ts';
import { transcriptOf } from './world.ts';

/** Records the help of every command. @returns the words of the commands */
export async function recordHelp(recording: Recording): Promise<string[]> {
  const overview = await scorehall({}, '--help');
  await recording.write('help/overview.txt', transcriptOf(['--help'], overview));
  const commands = overview.out.split('\n').flatMap((line) => /^scorehall (\S+(?: \S+)*?) {2,}/.exec(line)?.[1] ?? []);
  for (const words of commands) {
    const args = [...words.split(' '), '--help'];
    await recording.write(`help/${fileName(words)}.txt`, transcriptOf(args, await scorehall({}, ...args)));
  }
  return commands;
}
