import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';

interface Printed {
  out: string;
  err: string;
}

type Write = typeof process.stdout.write;

const capturing = new AsyncLocalStorage<Printed>();

interface CaptureOptions {
  environment: NodeJS.ProcessEnv;
  stdin?: string;
  folder?: string;
}

/**
 * Runs work with its own environment, standard input and working directory, and collects its output. Only one call may run
 * at a time.
 */
export async function captured<T>(
  { environment, stdin = '', folder = process.cwd() }: CaptureOptions,
  work: () => Promise<T>,
): Promise<Printed & { result: T }> {
  const printed: Printed = { out: '', err: '' };
  using stack = new DisposableStack();
  replace(stack, process, 'env', { ...environment });
  replace(stack, process, 'stdin', Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]));
  replace(stack, process.stdout, 'write', writer(process.stdout, 'out'));
  replace(stack, process.stderr, 'write', writer(process.stderr, 'err'));
  const before = process.cwd();
  stack.defer(() => process.chdir(before));
  process.chdir(folder);
  const result = await capturing.run(printed, work);
  return { ...printed, result };
}

function replace<T extends object>(stack: DisposableStack, owner: T, name: keyof T, value: unknown): void {
  const own = Object.getOwnPropertyDescriptor(owner, name);
  Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  stack.defer(() => {
    if (own === undefined) Reflect.deleteProperty(owner, name);
    else Object.defineProperty(owner, name, own);
  });
}

/** Collects the output of the work; other output of this process, such as the test report, passes through. */
function writer(stream: NodeJS.WriteStream, name: keyof Printed): Write {
  const write = stream.write.bind(stream);
  return ((chunk: string | Uint8Array, ...rest: never[]) => {
    const printed = capturing.getStore();
    if (printed === undefined) return write(chunk, ...rest);
    printed[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    return true;
  }) as Write;
}
