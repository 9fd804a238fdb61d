// Reads the headers of binaries: an artefact for one architecture must have none of another.

import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';

/** The architectures of a release by the names of npm, each with its names elsewhere. */
export const ARCHITECTURES = {
  x64: { debian: 'amd64', triplet: 'x86_64-linux-gnu', machine: 62 },
  arm64: { debian: 'arm64', triplet: 'aarch64-linux-gnu', machine: 183 },
} as const;

export type Architecture = keyof typeof ARCHITECTURES;

const MACHINE_AT = 18;

/** The number of the machine (`e_machine`) in the header of an ELF file, in the byte order that it names; else undefined. */
export function machineOf(header: Buffer): number | undefined {
  if (header.length < MACHINE_AT + 2 || header.toString('latin1', 0, 4) !== '\x7fELF') return undefined;
  return header[5] === 2 ? header.readUInt16BE(MACHINE_AT) : header.readUInt16LE(MACHINE_AT);
}

/** The paths of all files of a folder, also those whose names begin with a dot, sorted. Links are not followed. */
export function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => join(entry.parentPath, entry.name)).toSorted();
}

/** The ELF files of a folder, each with its machine. Links are not followed. */
export function binariesIn(folder: string): { path: string; machine: number }[] {
  return filesIn(folder).flatMap((path) => {
    const machine = machineOf(headerOf(path));
    return machine === undefined ? [] : [{ path, machine }];
  });
}

function headerOf(path: string): Buffer {
  const header = Buffer.alloc(MACHINE_AT + 2);
  const file = openSync(path, 'r');
  try {
    return header.subarray(0, readSync(file, header));
  } finally {
    closeSync(file);
  }
}

/** @throws Error that names the first binary of another machine, or the absence of any */
export function checkBinaries(folder: string, architecture: Architecture): void {
  const binaries = binariesIn(folder);
  const wrong = binaries.find(({ machine }) => machine !== ARCHITECTURES[architecture].machine);
  if (wrong !== undefined) throw new Error(`${wrong.path} is for machine ${wrong.machine}, not for ${architecture}.`);
  if (binaries.length === 0) throw new Error(`${folder} has no binary for ${architecture}.`);
}
