let guarded: NodeJS.WriteStream | undefined;

/**
 * The standard output, for commands that print. Node makes a pipe non-blocking when it opens it, also for every other
 * process that shares it, which then loses what it writes; so a command that prints nothing must not open it.
 */
export function output(): NodeJS.WriteStream {
  return (guarded ??= guard(process.stdout));
}

/** A reader may have seen enough, as `| head` has; any other failure is reported once, although each write fails. */
function guard(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  stream.on('error', () => undefined);
  return stream.once('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    process.exitCode = 2;
    process.stderr.write(`scorehall: The standard output cannot be written: ${message}\n`);
  });
}
