import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A server that speaks Minecraft's protocol, and bots that play on it, from packages that are installed for this test. */

const run = promisify(execFile);
export const PACKAGES = ['flying-squid@1.12.0', 'mineflayer@4.39.0'];
const VERSION = '1.16.5';
const EXIT_MS = 5_000;

interface Bot {
  once(event: 'spawn' | 'end', listener: () => void): void;
  quit(): void;
}

export interface GameServer extends Disposable {
  port: number;
  /** Joins, and resolves when the player is in the world. @returns a function that leaves */
  join(name: string): Promise<() => void>;
}

export async function installGame(folder: string): Promise<void> {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true }));
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', '--loglevel=error'];
  await run('npm', ['install', ...options, ...PACKAGES], { cwd: folder, shell: process.platform === 'win32' });
}

export async function startGame(folder: string, port: number): Promise<GameServer> {
  const require = createRequire(join(folder, 'package.json'));
  const squid = require('flying-squid') as {
    createMCServer(options: object): { quit(): void; once(name: string, call: () => void): void };
  };
  const mineflayer = require('mineflayer') as { createBot(options: object): Bot };
  const server = squid.createMCServer({
    motd: 'A flying squid',
    port,
    host: '127.0.0.1',
    'max-players': 10,
    'online-mode': false,
    logging: false,
    gameMode: 1,
    difficulty: 0,
    generation: { name: 'superflat', options: {} },
    kickTimeout: 10_000,
    plugins: {},
    modpe: false,
    'view-distance': 2,
    'player-list-text': { header: '', footer: '' },
    'everybody-op': false,
    'max-entities': 10,
    version: VERSION,
  });
  await new Promise<void>((resolve) => server.once('listening', resolve));
  return {
    port,
    async join(username) {
      const bot = mineflayer.createBot({ host: '127.0.0.1', port, username, auth: 'offline', version: VERSION });
      await new Promise<void>((resolve) => bot.once('spawn', resolve));
      return () => bot.quit();
    },
    [Symbol.dispose]() {
      server.quit();
      // flying-squid leaves timers running after it has quit.
      setTimeout(() => process.exit(), EXIT_MS).unref();
    },
  };
}
