/** One server of the sample network. */
export interface Server {
  name: string;
  region: string;
  order: number;
  max: number;
  icon: string;
  /** The gamemodes of its rotation; empty for servers without matches. */
  gamemodes: readonly string[];
  ranked: boolean;
  /** The weight with which players choose this server. */
  pull: number;
}

export const NETWORK = 'Gullwing Quay';
export const ZONE = 'Europe/Amsterdam';

/** The lobby, where every session starts, and the factions server; the other servers play matches. */
export const LOBBY = 'Quay';
export const FACTIONS = 'Homestead';

/** @param icon a Minecraft item, with which menus in the game show the server */
const server = (
  order: number,
  name: string,
  icon: string,
  region: string,
  max: number,
  gamemodes: string,
  pull: number,
): Server => ({
  name,
  region,
  order,
  max,
  icon,
  gamemodes: gamemodes.split(' ').filter(Boolean),
  ranked: name === 'Foundry',
  pull,
});

export const SERVERS: readonly Server[] = [
  server(1, LOBBY, 'compass', 'Amsterdam', 0, '', 0),
  server(2, 'Lantern', 'lantern', 'Amsterdam', 60, 'ctw dtc dtm', 34),
  server(3, 'Tideway', 'white_wool', 'Stockholm', 48, 'ctw ctf dtm', 19),
  server(4, 'Highwater', 'beacon', 'Stockholm', 40, 'cp koth ctf', 14),
  server(5, 'Foundry', 'anvil', 'Amsterdam', 20, 'tdm koth dtc', 12),
  server(6, 'Sparks', 'iron_sword', 'Milan', 32, 'tdm blitz rage', 11),
  server(7, 'Carnival', 'firework_rocket', 'Milan', 32, 'paintball splatt bowspleef tntrun', 11),
  server(8, FACTIONS, 'oak_door', 'Amsterdam', 100, '', 9),
];

/** The servers that play matches. */
export const ARENAS = SERVERS.filter(({ gamemodes }) => gamemodes.length > 0);
