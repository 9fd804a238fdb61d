/** The part of gamedig 5 that is used here; the package has no types. */
declare module 'gamedig' {
  export interface GamedigOptions {
    type: string;
    host: string;
    port: number;
    givenPortOnly: boolean;
    maxRetries: number;
    attemptTimeout: number;
    socketTimeout: number;
  }

  /** The server's answer, mostly unchecked. */
  export interface GamedigState {
    numplayers?: unknown;
    maxplayers?: unknown;
    players?: unknown;
    map?: unknown;
  }

  export const GameDig: { query(options: GamedigOptions): Promise<GamedigState> };
}
