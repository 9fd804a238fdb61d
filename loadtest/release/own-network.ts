import { randomUUID } from 'node:crypto';
import type { Container } from '../operate/container.ts';
import type { Outcome } from '../operate/engine.ts';
import { untilAnswered } from './machine.ts';

export const SITE = 'http://127.0.0.1:7402';
export const INTERNAL = 'http://127.0.0.1:7404';

/** The game server that the agent's unit names, which exists before Scorehall. */
const GAME_SERVER = `
  useradd --system --home-dir /srv/minecraft --shell /usr/sbin/nologin minecraft
  install -d -o minecraft -g minecraft /srv/minecraft /srv/minecraft/logs
  install -o minecraft -g minecraft /dev/null /srv/minecraft/logs/latest.log`;

export const createGameServer = (container: Container): Outcome => container.shell(GAME_SERVER);

/** In the place of a person at a terminal. */
const BEGIN = `
  scorehall setup --yes --name Example --operator Olga --email olga@example.org
  scorehall server create --name Alpha --region eu --json`;

/** Begins a network, and creates its server. @returns the outcome, with the key of the server at its end */
export const beginNetwork = (container: Container): Outcome => container.shell(BEGIN);

/** Starts the agent as docs/connect.md says. */
export function startAgent(container: Container, key: string): Outcome {
  return container.shell(
    `printf 'INGEST_URL=%s\\nINGEST_KEY=%s\\n' http://127.0.0.1:7403 "$(cat)" >/etc/scorehall/agent.env
    systemctl enable --quiet --now scorehall-agent`,
    key,
  );
}

/** The agent waits up to a minute before it tries again to reach a service that was away. */
const SHOWN_WITHIN_MS = 150_000;

/** Lets a player join the game server. @returns whether the pages of the network show the player in time */
export async function showsPlayer(container: Container, name: string): Promise<boolean> {
  const time = new Date().toISOString().slice(11, 19);
  const lines = [
    `[${time}] [User Authenticator #1/INFO]: UUID of player ${name} is ${randomUUID()}`,
    `[${time}] [Server thread/INFO]: ${name}[/203.0.113.9:50000] logged in with entity id 7 at (0.5, 64.0, 0.5)`,
  ];
  container.shell('cat >>/srv/minecraft/logs/latest.log', `${lines.join('\n')}\n`);
  return await untilAnswered(container, `${SITE}/players/${name}`, (page) => page.includes(name), SHOWN_WITHIN_MS);
}

export const keyIn = ({ text }: Outcome): string => /"ingest_key": ?"([^"]+)"/.exec(text)?.[1] ?? '';

/** The commit that the running service says; empty if none is ready. */
export function commitOf(container: Container): string {
  const { text } = container.beside(['curl', '--silent', '--max-time', '5', `${INTERNAL}/readyz`]);
  const { ready, commit } = JSON.parse(text || '{}') as { ready?: boolean; commit?: string };
  return ready === true ? (commit ?? '') : '';
}
