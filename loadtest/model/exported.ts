/** One line of `export events`, in the order of the ledger. */
export interface Exported {
  id: string;
  type: string;
  time: string;
  server?: string;
  receipt?: string;
  // The model reads the wire format as it is; a missing member shows as a difference.
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any;
}
