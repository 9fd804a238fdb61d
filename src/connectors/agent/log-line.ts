import { uuidOf } from '#platform/text/text.ts';

/**
 * Parses a line of a server's log. Addresses of players are dropped here and never stored. A line counts only if the
 * whole message matches and the right thread wrote it, because players can write to the log: chat begins with `<name>`
 * or comes from another thread.
 */
export type LogLine = { /** Seconds since midnight, local time of the server. */ seconds: number } & (
  | { kind: 'identity'; name: string; uuid: string }
  | { kind: 'login' | 'logout'; name: string }
  | { kind: 'link'; name: string; code: string }
  /** The id of PGM's map, and the name of the next one. */
  | { kind: 'map'; map: string }
  | { kind: 'next_map'; name: string }
  | { kind: 'starting' | 'stopping' | 'other' }
);

type Content<T = LogLine> = T extends unknown ? Omit<T, 'seconds'> : never;

/**
 * The forms of vanilla, Bukkit and Fabric (`[12:30:01] [Server thread/INFO]: …`), of Forge before 1.17 with the logger
 * before the colon, and of later versions of Forge and of NeoForge with the date in the language of the machine, too
 * (`[05Jan2026 12:30:01.123] [Server thread/INFO] [net.minecraft.server.players.PlayerList/]: …`). `.` does not match the
 * line separators of Unicode, so text that contains one is refused.
 */
const LINE =
  /^\[(?:[^\s[\]]{5,24} )?(\d\d):(\d\d):(\d\d)(?:\.\d{3})?\] \[([^\]/]{1,64})\/([A-Z]+)\](?: \[([^[\]]{0,160})\])?: (.*)$/;

/** The game's own loggers; those of mods may write what players say. */
const GAME_LOGGER = /^(net\.)?minecraft[./]/;
/** On Folia there is no single thread of the server. */
const SERVER_THREAD = /^(Server thread|Region Scheduler Thread #\d+|Region shutdown thread)$/;

/** Names of Java Edition and, with a leading mark, of players who joined through Geyser. */
const NAME = '([.*+~!-]?[A-Za-z0-9_]{1,32})';

const IDENTITY = new RegExp(`^UUID of player ${NAME} is ([0-9a-fA-F-]{32,36})$`);
/**
 * The address of the player, in brackets, is matched but not captured. Without a connection it is `local`: a bot of
 * fabric-carpet.
 */
const ADDRESS = '(?!local\\])(?:IP hidden|[^ [\\]]{0,64}(?:\\[[\\w:.%]{0,64}\\])?[^ [\\]]{0,16})';
const LOGIN = new RegExp(`^${NAME}\\[${ADDRESS}\\] logged in with entity id -?\\d+ at \\(.*\\)$`);
const LOGOUT = new RegExp(`^${NAME} lost connection: .*$`);
const LINK = new RegExp(`^${NAME} issued server command: /link ([A-Za-z0-9 -]{1,32})$`);
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
  return { seconds, ...(isOfGame ? parseContent(thread!, level!, message) : { kind: 'other' }) };
}

function parseContent(thread: string, level: string, message: string): Content {
  if (level !== 'INFO') return { kind: 'other' };
  if (/^User Authenticator #\d+$/.test(thread)) return parseIdentity(message) ?? { kind: 'other' };
  return (SERVER_THREAD.test(thread) && serverMessage(message)) || { kind: 'other' };
}

function parseIdentity(message: string): Content | undefined {
  const [, name, text = ''] = IDENTITY.exec(message) ?? [];
  const uuid = uuidOf(text);
  return name === undefined || uuid === undefined ? undefined : { kind: 'identity', name, uuid };
}

function serverMessage(message: string): Content | undefined {
  const login = LOGIN.exec(message)?.[1];
  if (login !== undefined) return { kind: 'login', name: login };
  const logout = LOGOUT.exec(message)?.[1];
  if (logout !== undefined) return { kind: 'logout', name: logout };
  const [, name, code] = LINK.exec(message) ?? [];
  if (name !== undefined) return { kind: 'link', name, code: code! };
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
