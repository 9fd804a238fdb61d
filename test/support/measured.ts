/** Loaded before the test files of a run: its hook precedes those of every file. */
import { measure } from './costs.ts';

measure();
