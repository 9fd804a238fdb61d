/** One server of the network, as the sample tells it: what it plays and how much of the network meets there. */
export interface Server {
  name: string;
  region: string;
  order: number;
  max: number;
  icon: string;
  /** Gamemodes of its rotation; none where no matches are played. */
  gamemodes: readonly string[];
  ranked: boolean;
  /** How many of the network's players choose it, against the others. */
  pull: number;
}

export const NETWORK = 'Gullwing Quay';
export const ZONE = 'Europe/Amsterdam';

/** Where everybody arrives, and where the factions are; the others play matches. */
export const LOBBY = 'Quay';
export const FACTIONS = 'Homestead';

const server = (order: number, name: string, region: string, max: number, gamemodes: string, pull: number): Server => ({
  name,
  region,
  order,
  max,
  icon: '',
  gamemodes: gamemodes.split(' ').filter(Boolean),
  ranked: name === 'Foundry',
  pull,
});

export const SERVERS: readonly Server[] = [
  server(1, LOBBY, 'Amsterdam', 0, '', 0),
  server(2, 'Lantern', 'Amsterdam', 60, 'ctw dtc dtm', 34),
  server(3, 'Tideway', 'Stockholm', 48, 'ctw ctf dtm', 19),
  server(4, 'Highwater', 'Stockholm', 40, 'cp koth ctf', 14),
  server(5, 'Foundry', 'Amsterdam', 20, 'tdm koth dtc', 12),
  server(6, 'Sparks', 'Milan', 32, 'tdm blitz rage', 11),
  server(7, 'Carnival', 'Milan', 32, 'paintball splatt bowspleef tntrun', 11),
  server(8, FACTIONS, 'Amsterdam', 100, '', 9),
];

/** The servers that play matches. */
export const ARENAS = SERVERS.filter(({ gamemodes }) => gamemodes.length > 0);
