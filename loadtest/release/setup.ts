import type { Suite } from '../operate/container.ts';
import type { Report } from '../report.ts';
import type { Artefacts } from './artefacts.ts';

/** What each part of the load test gets. */
export interface Setup {
  report: Report;
  artefacts: Artefacts;
  /** For temporary files. */
  folder: string;
}

/** What a test of one Debian gets. */
export interface DebianSetup extends Setup {
  suite: Suite;
}
