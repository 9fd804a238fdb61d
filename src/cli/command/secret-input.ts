import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UsageError } from '#platform/errors.ts';
import { errorOutput } from '#platform/process/output.ts';

/** More than the longest allowed password. */
const MAX_BYTES = 4_096;

/**
 * Reads a secret that must not appear in the process list: the first line of a piped stdin, or a line typed at the
 * terminal without echo.
 */
export async function readSecret(question: string): Promise<string> {
  return process.stdin.isTTY ? await askWithoutEcho(question) : await firstLine();
}

async function askWithoutEcho(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  // Print the question only after readline has put the terminal into raw mode, so that no typed character is echoed.
  errorOutput().write(question);
  try {
    return await terminal.question('');
  } catch {
    throw new UsageError('The input was cancelled.');
  } finally {
    terminal.close();
    errorOutput().write('\n');
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
  if (line === '') throw new UsageError('The password is missing: there is no line on stdin.');
  return line;
}
