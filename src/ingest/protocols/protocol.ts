import type { IncomingMessage } from 'node:http';
import type { WireEvent } from '#events/schema/index.ts';

/** A request in the protocol of another program, after its key was checked. */
export interface ProtocolRequest {
  /** The part of the path that varies, percent-encoded; empty if none does. */
  parameter: string;
  /** Reads the JSON body within the limits of the ingest. */
  body: () => Promise<unknown>;
  /** Ingests an event as the server, within its limits. @returns its id */
  accept: (event: WireEvent) => Promise<string>;
  /** Whether nothing is stored, because the key is for tests. */
  dryRun: boolean;
}

/** What a protocol does at one path. */
export interface ProtocolRoute {
  /** Maximum characters of the parameter, if the path has one. */
  longest?: number;
  /** By method; the result is the JSON of the response. */
  methods: Readonly<Record<string, (request: ProtocolRequest) => Promise<unknown>>>;
}

export interface Protocol {
  /** By path, see `Router`. */
  routes: Readonly<Record<string, ProtocolRoute>>;
  /** The key of the server, from the place where the program sends it. */
  readKey: (request: IncomingMessage) => string | undefined;
}
