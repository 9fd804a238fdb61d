import type { RequestListener } from 'node:http';

/** What a door hands to its listener, and what it does when the house closes. */

export interface HttpService {
  listener: RequestListener;
  /** False where bodies of requests are of no concern. */
  readsBodies?: boolean;
  close?(): Promise<void>;
}
