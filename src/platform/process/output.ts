let guarded: NodeJS.WriteStream | undefined;

/**
 * Standard output, for commands that print. Open it only to print: Node makes a pipe non-blocking for every process
 * that shares it, and the others then lose output.
 */
export function output(): NodeJS.WriteStream {
  return (guarded ??= guard(process.stdout));
}

/**
 * Ignores a closed pipe, as with `| head`. Reports any other failure once, because each further write fails as well.
 */
function guard(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  stream.on('error', () => undefined);
  return stream.once('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    process.exitCode = 2;
    errorOutput().write(`scorehall: Cannot write to standard output: ${message}\n`);
  });
}

let guardedErrors: NodeJS.WriteStream | undefined;

/**
 * Standard error. Failures (a full disk behind `2> file`) are ignored, because a report must not end the work that it
 * is about.
 */
export function errorOutput(): NodeJS.WriteStream {
  return (guardedErrors ??= process.stderr.on('error', () => undefined));
}
