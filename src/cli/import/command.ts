import type { Command } from '../command/command.ts';
import { commands as databases } from './databases.ts';
import { commands as files } from './files.ts';
import { commands as sources } from './sources.ts';

export const commands: Command[] = [...files, ...databases, ...sources];
