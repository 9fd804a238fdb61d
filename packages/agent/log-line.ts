import { uuidOf } from '../text/text.ts';
import { NAME, NAME_WITH_BLANKS } from '../text/player-name.ts';

/**
 * Parses a line of a server's log. Addresses of players are dropped here and never stored. A line counts only if the
 * whole message matches and the right thread wrote it, because players can write to the log: chat begins with `<name>`
 * or comes from another thread.
 */
export type LogLine = { /** Seconds since midnight, local time of the server. */ seconds: number } & (
  | { kind: 'identity'; name: string; uuid: string }
  | PlayerLine
  /** The id of PGM's map, and the name of the next one. */
  | { kind: 'map'; map: string }
  | { kind: 'next_map'; name: string }
  | { kind: 'starting' | 'stopping' }
  /** `unsure` may be chat with the name of its sender before it: it counts if the player is known from elsewhere. */
  | { kind: 'other'; unsure?: PlayerLine; missed?: Missed }
);

export type PlayerLine = { kind: 'login' | 'logout'; name: string } | { kind: 'link'; name: string; code: string };

/** Why a line about a login or logout gives no event. */
export type Missed = 'uuid' | 'name' | 'form' | 'logger';

type Content<T = LogLine> = T extends unknown ? Omit<T, 'seconds'> : never;

/**
 * The forms of vanilla, Bukkit and Fabric (`[12:30:01] [Server thread/INFO]: …`), of Forge before 1.17 with the logger
 * before the colon, and of later versions of Forge and of NeoForge with the date in the language of the machine, too
 * (`[05Jan2026 12:30:01.123] [Server thread/INFO] [net.minecraft.server.players.PlayerList/]: …`). The message may contain
 * line separators of Unicode, which do not end a line of the log.
 */
const LINE =
  /^\[(?:[^\s[\]]{5,24} )?(\d\d):(\d\d):(\d\d)(?:\.\d{3})?\] \[([^\]/]{1,64})\/([A-Z]+)\](?: \[([^[\]]{0,160})\])?: (.*)$/s;

/** The game's own loggers; those of mods may write what players say. */
const GAME_LOGGER = /^(net\.)?minecraft[./]/;
/** On Folia there is no single thread of the server. */
const SERVER_THREAD = /^(Server thread|Region Scheduler Thread #\d+|Region shutdown thread)$/;

/**
 * The threads that write `UUID of player`: of the game, of ProtocolSupport, and of Floodgate for a Bedrock player who is
 * linked to a Java account.
 */
const LOGIN_THREAD = /^(User Authenticator #\d+|LoginProcessingThread|Bedrock Linked Player Texture Download)$/;

const IDENTITY = new RegExp(`^UUID of player ${NAME_WITH_BLANKS} is ([0-9a-fA-F-]{32,36})$`, 'u');
/**
 * The address of the player, in brackets, is matched but not captured; a server may hide it (`IP hidden`,
 * `<ip address withheld>`). Without a connection it is `local`: a bot of fabric-carpet.
 */
const ADDRESS = String.raw`(?!local\])(?:IP hidden|<[^<>[\]]{1,40}>|[^ [\]]{0,64}(?:\[[\w:.%]{0,64}\])?[^ [\]]{0,16})`;
const PLAYER_LINES = {
  login: String.raw`\[${ADDRESS}\] logged in with entity id -?\d+ at \(.*\)$`,
  logout: ' lost connection: .*$',
  link: ' issued server command: /link ([A-Za-z0-9 -]{1,32})$',
};
const forms = (name: string): [PlayerLine['kind'], RegExp][] =>
  Object.entries(PLAYER_LINES).map(([kind, rest]) => [kind as PlayerLine['kind'], new RegExp(`^${name}${rest}`, 'su')]);
const [CERTAIN, UNSURE] = [forms(NAME), forms(NAME_WITH_BLANKS)];
const OF_PLAYER = / (?:logged in with entity id|lost connection:|issued server command: \/link) /;
/** A login or logout in another form. What begins as chat, and who left before the login had ended, is none. */
const NEAR_MISS =
  /^(?![<[*]|System chat: |[^[]*\[local\] )[^:/[]*(?:(?:\[.*\])? logged in with entity id | lost connection: )/s;
const PGM_NEXT_MAP = /^Cycling to (.{1,128}) in \d+ (?:second|minute)s?$/;
const PGM_MAP = /^\[PGM\] \[MatchManagerImpl\] Loaded match-\d+ \(([^()]{1,128})\)$/;
const STARTING = /^Starting minecraft server version .{1,64}$/;
const STOPPING = /^Stopping (the )?server$/;

/** @returns undefined for a line that continues a log message */
export function parseLine(text: string): LogLine | undefined {
  const [, hours, minutes, second, thread, level, logger, message] = LINE.exec(withoutColours(text)) ?? [];
  if (message === undefined) return undefined;
  const seconds = Number(hours) * 3600 + Number(minutes) * 60 + Number(second);
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(second) > 60) return undefined;
  const isOfGame = logger === undefined || GAME_LOGGER.test(logger);
  return { seconds, ...parseContent(thread!, level!, message, isOfGame) };
}

function parseContent(thread: string, level: string, message: string, isOfGame: boolean): Content {
  if (level !== 'INFO') return { kind: 'other' };
  if (LOGIN_THREAD.test(thread)) return (isOfGame && parseIdentity(message)) || { kind: 'other' };
  if (!SERVER_THREAD.test(thread)) return { kind: 'other' };
  if (!isOfGame) return { kind: 'other', ...(playerLine(CERTAIN, message) && { missed: 'logger' }) };
  return serverMessage(message) ?? otherMessage(message);
}

function parseIdentity(message: string): Content | undefined {
  const [, name, text = ''] = IDENTITY.exec(message) ?? [];
  const uuid = uuidOf(text);
  return name === undefined || uuid === undefined ? undefined : { kind: 'identity', name, uuid };
}

function playerLine(lines: typeof CERTAIN, message: string): PlayerLine | undefined {
  for (const [kind, form] of OF_PLAYER.test(message) ? lines : []) {
    const [, name, code = ''] = form.exec(message) ?? [];
    if (name !== undefined) return kind === 'link' ? { kind, name, code } : { kind, name };
  }
  return undefined;
}

function otherMessage(message: string): Content {
  const unsure = playerLine(UNSURE, message);
  if (unsure !== undefined) return { kind: 'other', unsure };
  return { kind: 'other', ...(NEAR_MISS.test(message) && { missed: 'form' }) };
}

function serverMessage(message: string): Content | undefined {
  const ofPlayer = playerLine(CERTAIN, message);
  if (ofPlayer !== undefined) return ofPlayer;
  const map = PGM_MAP.exec(message)?.[1];
  if (map !== undefined) return { kind: 'map', map };
  const nextMap = PGM_NEXT_MAP.exec(message)?.[1];
  if (nextMap !== undefined) return { kind: 'next_map', name: nextMap };
  if (STARTING.test(message)) return { kind: 'starting' };
  return STOPPING.test(message) ? { kind: 'stopping' } : undefined;
}

// oxlint-disable-next-line no-control-regex -- ANSI escapes begin with a control character
const COLOURS = /\u001b\[[0-9;]{0,20}m|§[0-9a-fk-orx]/gi;

const withoutColours = (text: string): string => text.replace(/\r$/, '').replace(COLOURS, '');
