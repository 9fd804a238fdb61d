import type { Gamemode } from './match/modes.ts';

/** The fixed properties of a map; its authors depend on the seed. */
export interface MapRow {
  name: string;
  gamemodes: readonly Gamemode[];
  /** Name and chat colour of each team; empty for a free-for-all map. */
  teams: readonly { name: string; color: string }[];
  /** The maximum number of players in a team; 0 for a free-for-all map. */
  max: number;
  versions: readonly string[];
  type: string;
  /** The servers that have it in their rotation. */
  servers: readonly string[];
  /** The average rating by players, 1 to 5. */
  quality: number;
  objective: string;
}

const REDS = 'Red:red Blue:blue';

/** gamemodes | teams | max | versions | type | servers | quality | objective */
const ROWS: Record<string, string> = {
  'Amber Sluice': `ctw|${REDS}|20|1.0.0 1.1.0 1.2.1|standard|Lantern Tideway|4.5|Carry both wools over the sluice and place them on your monument.`,
  Tidemill: `ctw|Millers:gold Ferrymen:dark_aqua|16|1.0.0 1.0.3|standard|Tideway Lantern|4.2|Cross the mill race, take the wools and bring them home.`,
  'Quarry Steps': `ctw dtc|${REDS}|18|0.9.4 1.0.0|standard|Lantern|3.6|Capture the enemy wool in the quarry, or leak the core above it.`,
  'Glasshouse Row': `ctw|Green:green Purple:dark_purple|15|1.3.0|standard|Tideway|3.9|Find the wools in the glasshouses of the other side.`,
  'Saltpan Crossing': `ctw|Yellow:yellow Aqua:aqua|20|1.0.0 2.0.0|standard|Lantern|4.0|Race over the salt pans and capture two wools before they do.`,
  Frostwharf: `ctw|${REDS}|16|1.0.1|seasonal||3.8|Steal the wools from the frozen ships. Mind the thin ice.`,
  'Four Kilns': `ctw|Red:dark_red Blue:blue Green:dark_green Yellow:yellow|10|1.1.0 1.1.2|standard|Lantern|3.3|Four teams, four kilns: capture the wool of your left and of your right neighbour.`,
  Cindervault: `dtc|Ash:gray Ember:gold|16|1.0.0 1.0.1|standard|Lantern|4.1|Break into the vault and leak the core.`,
  'Bellows Ridge': `dtc|${REDS}|10|2.1.0|competitive|Foundry Lantern|4.4|Leak the core of the other team within ten minutes.`,
  'Undertow Locks': `dtc|Blue:blue Orange:gold|14|1.0|standard|Lantern|3.0|Swim under the locks and leak the core behind them.`,
  'Lantern Cellars': `dtc|Red:red Green:green|10|1.2.0|competitive|Foundry|3.7|Two cellars, two cores. Leak theirs.`,
  'Obelisk Fen': `dtm|Reeds:dark_green Crows:dark_gray|18|1.0.0 1.1.0|standard|Lantern|3.5|Break the obelisks on the far side of the fen.`,
  'Twin Belfries': `dtm dtc|${REDS}|16|1.4.0|standard|Tideway|4.3|Destroy the bells of both belfries. In the core variant, leak the cistern.`,
  Mossgate: `dtm|Emerald:green Amber:gold|15|1.0.0 1.0.2|standard|Lantern Tideway|4.0|Open the gate by breaking the mossy monument behind it.`,
  'Windlass Peak': `dtm|Blue:blue White:white|14|1.0.5|standard|Tideway|3.4|Climb to the windlass and tear it down.`,
  Regatta: `ctf|Port:red Starboard:green|12|1.0.0 1.2.0|standard|Tideway Highwater|4.1|Take the pennant of the other crew and carry it to your boat. Three captures win.`,
  'Orchard Raid': `ctf|Red:red Pink:light_purple|12|1.1.0|standard|Highwater|4.4|Carry the flag through the orchard. Three captures win.`,
  'Dune Relay': `ctf|Blue:blue Yellow:yellow|12|0.8.0 1.0.0|standard|Tideway|2.7|Carry the flag over three dunes; the first team with five captures wins.`,
  'Copper Viaduct': `ctf|Rust:gold Patina:aqua|12|1.0.0|standard|Highwater|3.6|Two levels, one flag each. Three captures win.`,
  'Five Bridges': `cp|${REDS}|15|1.0.0 1.0.4|standard|Highwater|4.2|Hold the bridges. Every bridge pays a point a second; 600 points win.`,
  'Heron Flats': `cp|Blue:blue Green:dark_green|14|1.2.0|standard|Highwater|3.3|Hold the three hides on the flats until you have 500 points.`,
  'Terrace Nine': `cp|${REDS}|12|1.0.0|standard|Highwater|3.8|Capture the terraces one after the other, up to the top.`,
  'Gramophone Hill': `koth|${REDS}|10|1.0.0 1.1.1|competitive|Highwater Foundry|4.5|Hold the hill while the music plays. 300 points win.`,
  'Crown of Reeds': `koth cp|Gold:gold Grey:gray|12|1.0.2|standard|Highwater|3.1|Hold the crown in the reeds for 300 seconds in all.`,
  'Skylark Dome': `koth|Purple:dark_purple Yellow:yellow|10|1.0.0|competitive|Foundry|4.0|Hold the platform under the dome. It wanders every two minutes.`,
  'Market Day': `tdm|${REDS}|12|1.3.2|standard|Sparks Foundry|4.0|Most kills within ten minutes win. Crates hold better arrows.`,
  'Basalt Yard': `tdm|Red:dark_red Blue:dark_aqua|10|1.0.0 1.0.1|competitive|Foundry Sparks|3.7|First team to 75 kills wins.`,
  'Clover Pit': `tdm|Green:green White:white|12|1.0.0|standard|Sparks|3.2|Out of the pit and at them: most kills in eight minutes win.`,
  'Last Candle': `blitz|${REDS}|10|1.0.0|standard|Sparks|3.9|One life each. The team whose candle burns last wins.`,
  'Thin Harvest': `blitz|Red:red Blue:blue Green:green Yellow:yellow|6|1.0.0 1.1.0|standard|Sparks|3.5|Four farms, one life each.`,
  'Ricochet Alley': `rage||0|1.2.0|arcade|Sparks|4.3|Every arrow kills. Free-for-all, 25 kills win.`,
  Arrowroot: `rage|${REDS}|12|1.0.0|arcade|Sparks|3.4|Every arrow kills. First team to 100.`,
  Snowglobe: `bowspleef||0|1.0.0 1.0.1|arcade|Carnival|4.1|Shoot the floor from under the others. The last one standing wins.`,
  'Kite Deck': `bowspleef||0|1.1.0|arcade|Carnival|3.6|Three decks of wool high above nothing. Stay up.`,
  Sandglass: `tntrun||0|1.0.0|arcade|Carnival|3.9|The sand falls where you have trodden. Keep running.`,
  'Ember Stairs': `tntrun||0|1.0.3|arcade|Carnival|3.0|Five floors over lava, and none of them holds.`,
  'Canvas Court': `paintball|Cyan:aqua Magenta:light_purple|12|1.0.0 1.2.0|arcade|Carnival|4.2|Hit everyone who wears the other colour. Most hits in six minutes win.`,
  'Studio Stacks': `paintball|Orange:gold Violet:dark_purple|12|1.0.0|arcade|Carnival|3.5|Fight through the shelves of the studio. Most hits win.`,
  'Inkwell Plaza': `splatt|Teal:dark_aqua Coral:red|8|1.0.0 1.1.0|arcade|Carnival|4.6|Paint more of the plaza than they do in four minutes.`,
  'Gouache Gardens': `splatt|Lime:green Plum:dark_purple|8|1.0.0|arcade|Carnival|4.0|Paint the gardens in your colour, the fountain counts twice.`,
};

export const MAP_ROWS: readonly MapRow[] = Object.entries(ROWS).map(([name, row]) => readRow(name, row));

function readRow(name: string, row: string): MapRow {
  const [gamemodes, teams, max, versions, type, servers, quality, objective] = row.split('|') as string[];
  return {
    name,
    gamemodes: words(gamemodes!) as Gamemode[],
    teams: words(teams!).map((team) => ({ name: team.split(':')[0]!, color: team.split(':')[1]! })),
    max: Number(max),
    versions: words(versions!),
    type: type!,
    servers: words(servers!),
    quality: Number(quality),
    objective: objective!,
  };
}

function words(text: string): string[] {
  return text.split(' ').filter(Boolean);
}
