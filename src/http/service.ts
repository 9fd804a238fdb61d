import type { RequestListener } from 'node:http';

/** One HTTP service, for example the data API or the site, as the server starts and stops it. */
export interface HttpService {
  listener: RequestListener;
  /** False if the service never reads request bodies; true when omitted. See `httpServer`. */
  readsBodies?: boolean;
  /** Runs before the listener closes, which waits for the pending requests: answers those that only wait for a queue. */
  stopping?(): void;
  /** Runs after the listener has closed: saves the data that is only in memory. */
  close?(): Promise<void>;
}
