let guarded: NodeJS.WriteStream | undefined;

/**
 * Standard output, for commands that print. Use it only when there is something to print: Node makes a pipe non-blocking
 * when it opens it, for every process that shares the pipe, and those then lose output.
 */
export function output(): NodeJS.WriteStream {
  return (guarded ??= guard(process.stdout));
}

/** Ignores a reader that closed the pipe, such as `| head`. Reports any other failure once, although each write fails. */
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
 * Standard error. It ignores failures, such as a full disk behind `2> file`: what it reports must not end the work that it
 * reports on.
 */
export function errorOutput(): NodeJS.WriteStream {
  return (guardedErrors ??= process.stderr.on('error', () => undefined));
}
