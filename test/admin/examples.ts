import type { TestAppContext } from '#test/support/context.ts';

/** What an operation acts on in one way: each way has its own, so that all can be compared. */
export interface Twin {
  /** Part of every name of it: `Page3`. */
  name: string;
  /** The texts that differ between the ways, each with its replacement in the comparison. */
  words: Record<string, string>;
  /** Other facts that the example needs. */
  [fact: string]: unknown;
}

/** One valid use of an operation, in each way that has it. */
export interface Example<T extends Twin = Twin> {
  prepare(context: TestAppContext, name: string): Promise<T>;
  /** The path of the form below `/console`, and its fields. */
  page(twin: T): [path: string, form: Record<string, string>];
  /** The form itself is the page before the operation. */
  asksByForm?: true;
  command(twin: T, folder: string): string[] | Promise<string[]>;
  /** What `scorehall apply` reads. */
  file?(twin: T, folder: string): object | Promise<object>;
}
