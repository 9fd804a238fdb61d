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
    encoding: string;
    stripColors: boolean;
  }

  export interface GamedigPlayer {
    name?: unknown;
    raw?: Record<string, unknown>;
  }

  /** The server's answer, mostly unchecked. */
  export interface GamedigState {
    numplayers?: unknown;
    maxplayers?: unknown;
    players?: unknown;
    bots?: unknown;
    raw?: Record<string, unknown>;
    map?: unknown;
  }

  type Send<T> = (this: T, request: Buffer, onPacket: (packet: Buffer) => unknown) => Promise<unknown>;
  interface Protocol {
    udpSend: Send<Protocol>;
  }
  export const protocols: { minecraftbedrock: { prototype: Protocol } };

  export const GameDig: { query(options: GamedigOptions): Promise<GamedigState> };
}
