import type { Rgb } from './png.ts';

/** The surroundings of the land, which decide how they are drawn; their colours come from the look. */
export type Abyss = 'water' | 'lava' | 'void';

export interface Look {
  abyss: Abyss;
  /** Deep, middle, and near the shore. */
  depths: readonly [Rgb, Rgb, Rgb];
  ground: Rgb;
  patch: Rgb;
  cliff: Rgb;
  path: Rgb;
  rock: Rgb;
  wall: Rgb;
  floor: Rgb;
  leaf: Rgb;
  blossom: Rgb;
  trunk: Rgb;
  plant: 'round' | 'pine' | 'palm' | 'cactus' | 'spire' | 'building';
  /** Plants for each hundred cells. */
  growth: number;
}

const rgb = (hex: string): Rgb => [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb;

/** depths | ground patch cliff path rock wall floor leaf blossom trunk */
function look(abyss: Abyss, plant: Look['plant'], growth: number, colours: string): Look {
  const [deep, middle, near, ground, patch, cliff, path, rock, wall, floor, leaf, blossom, trunk] = colours
    .split(' ')
    .map(rgb) as Rgb[];
  return {
    abyss,
    plant,
    growth,
    depths: [deep!, middle!, near!],
    ground: ground!,
    patch: patch!,
    cliff: cliff!,
    path: path!,
    rock: rock!,
    wall: wall!,
    floor: floor!,
    leaf: leaf!,
    blossom: blossom!,
    trunk: trunk!,
  };
}

export const THEMES = {
  meadow: look(
    'void',
    'round',
    2.6,
    '7fb4d8 93c4e2 a9d4ec 7fb04e 93bd5a 8a6b4a c9b078 8f908c a8a49a c4bda8 4f8a3a e9d65c 6b4a2e',
  ),
  autumn: look(
    'water',
    'round',
    3.4,
    '2f6c86 3a7f99 5aa3b4 a99a4a b8883e 7a5a3e c7a873 88847c 9c8a78 bda98c c8682c e0a638 5a3c26',
  ),
  reef: look(
    'water',
    'palm',
    1.6,
    '137a9a 1c94b0 4fc3cc e8d6a0 8fc06a c9ab72 f2e6c4 a8a090 d8d2c2 b98a5a 4fa548 f08a6c 8a6238',
  ),
  mesa: look(
    'void',
    'cactus',
    0.9,
    '3a2630 472e36 553840 c9683c d98a4c a04a30 e3b070 b3543a b98058 d6a678 6f9a4a f0d060 7a4a30',
  ),
  desert: look(
    'void',
    'cactus',
    0.8,
    '2a3a52 344660 40546e e2c888 d4b470 c49a5c f0dcaa b89868 d8bc88 c9a468 5f9650 e87c9a 8a6a40',
  ),
  snow: look(
    'water',
    'pine',
    2.6,
    '24506e 2e6484 9cc8dc eef3f6 d6e4ec 93a9b8 b8a890 9aa4ac 8fa0ac a8927a 3f6a58 ffffff 5a4432',
  ),
  volcano: look(
    'lava',
    'spire',
    1.2,
    'b8320e d8520f f08a1e 4a4346 5a4e4c 332d32 7a6c62 2c282c 5e5456 7c6e68 6a3a30 ffb030 2a2224',
  ),
  cavern: look(
    'void',
    'spire',
    1.6,
    '14161e 191c26 20242f 5c6068 4e5a54 3c3f48 87807a 6e727c 7c7468 988c78 3fae9a a06cf0 44464e',
  ),
  swamp: look(
    'water',
    'round',
    2.4,
    '3a4a38 46583e 5c6c48 6a7a42 7d8848 5a4c38 9a8a5e 747468 7c7a64 96865e 3f5a30 b09ac0 4a3a28',
  ),
  city: look(
    'void',
    'building',
    1.1,
    '2e3648 384258 444f66 a6a49c 7fa05c 6c6a6c cfc4b0 888a90 b8755a d8ccb8 5c9050 c8603c 6a4038',
  ),
  jungle: look(
    'water',
    'round',
    5,
    '1f6a62 288078 4aa898 5a9a3c 4a8434 6a5236 b49a62 7c8474 85927a a8a07c 2f7430 e85a78 5a4028',
  ),
  cherry: look(
    'void',
    'round',
    3.6,
    'c79ab8 d2a9c4 deb9d0 96b864 a8c46c 8c6c5c d8c0a8 9c949a c8b0b4 dcccc0 f0a6c4 fff0f6 6a4438',
  ),
  end: look(
    'void',
    'spire',
    1.3,
    '120c1e 181026 20162f e4e2a8 d2cf96 a8a47c c8b8d8 8a7a9c 9a78b4 b89cc8 7a4a9c d8a0f0 5a3c70',
  ),
} satisfies Record<string, Look>;

export type Theme = keyof typeof THEMES;

/** The sixteen chat colours, adjusted for the maps. */
export const CHAT: Readonly<Record<string, Rgb>> = Object.fromEntries(
  `black:2a2a30 dark_blue:26379c dark_green:2c7a34 dark_aqua:1f9aa0 dark_red:a82828 dark_purple:8434b0 gold:f09a28 gray:b0b0b4
  dark_gray:58585e blue:3d62e0 green:5cc84c aqua:58d0e0 red:e0483c light_purple:e878d4 yellow:f2d84a white:f4f4f0`
    .split(/\s+/)
    .map((entry) => [entry.split(':')[0]!, rgb(entry.split(':')[1]!)]),
);

/** The colours of wool and paint, by the name of the dye. */
export const DYE: Readonly<Record<string, Rgb>> = Object.fromEntries(
  `orange:f08a28 magenta:c850c0 light_blue:6ab4e8 yellow:f0d040 lime:80c828 pink:f090b0 cyan:2a9a9c purple:7c3cb0 blue:3c4cb4
  brown:7a5030 green:5a7a20 red:b03028`
    .split(/\s+/)
    .map((entry) => [entry.split(':')[0]!, rgb(entry.split(':')[1]!)]),
);
