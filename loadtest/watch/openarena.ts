import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { findProgram } from '../support/programs.ts';

/** A server of OpenArena with bots, from Debian's package. */

export const PACKAGE = 'openarena-server';
export const MAP = 'oa_dm1';
const BOTS = ['grism', 'sarge', 'arachna'];
const READY_MS = 30_000;

export interface ArenaServer extends AsyncDisposable {
  /** The lines of players in the present answer of the server. */
  players(): Promise<string[]>;
}

/** @returns undefined if the package is not installed */
export function findArena(): string | undefined {
  return findProgram(PACKAGE);
}

/** Resolves when the bots play. */
export async function startArena(program: string, folder: string, port: number): Promise<ArenaServer> {
  const settings = { dedicated: 1, net_ip: '127.0.0.1', net_port: port, sv_master1: '', bot_enable: 1 };
  const args = Object.entries(settings).flatMap(([name, value]) => ['+set', name, String(value)]);
  const child = spawn(program, [...args, '+map', MAP, ...BOTS.flatMap((bot) => ['+addbot', bot])], {
    env: { ...process.env, HOME: folder },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const server: ArenaServer = {
    players: () => playersOf(port),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      if (child.exitCode === null && child.kill()) await ended;
    },
  };
  for (const until = Date.now() + READY_MS; (await server.players()).length < BOTS.length; await pause(200)) {
    if (Date.now() < until && child.exitCode === null) continue;
    await server[Symbol.asyncDispose]();
    throw new Error(`${PACKAGE} did not start with its bots.`);
  }
  return server;
}

async function playersOf(port: number): Promise<string[]> {
  const socket = createSocket('udp4').unref();
  try {
    socket.send(Buffer.from('\xff\xff\xff\xffgetstatus', 'latin1'), port, '127.0.0.1');
    const [answer] = (await once(socket, 'message', { signal: AbortSignal.timeout(1_000) })) as [Buffer];
    return answer.toString('latin1').trimEnd().split('\n').slice(2);
  } catch {
    return [];
  } finally {
    socket.close();
  }
}
