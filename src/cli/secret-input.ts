import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UsageError } from '#platform/errors.ts';

/** More than any password may have. */
const MAX_BYTES = 4_096;

/**
 * A secret that must not stand in the list of processes: the first line of what is piped in, or what somebody types,
 * which the terminal does not show.
 */
export async function readSecret(question: string): Promise<string> {
  return process.stdin.isTTY ? await askUnseen(question) : await firstLine();
}

async function askUnseen(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  // Whoever sees the question types unseen: from here on the terminal shows what readline writes, which goes nowhere.
  process.stderr.write(question);
  try {
    return await terminal.question('');
  } catch {
    throw new UsageError('Broken off.');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}

async function firstLine(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += String(chunk);
    if (text.includes('\n')) break;
    if (text.length > MAX_BYTES) throw new UsageError(`The line on stdin is longer than ${MAX_BYTES} characters.`);
  }
  const line = text.replace(/\r?\n[\s\S]*$/, '');
  if (line === '') throw new UsageError('There is no line on stdin.');
  return line;
}
