/**
 * A made-up group, gamemode and counter, each with one property left out: the compiler refuses them. `npm run check`
 * compiles this file.
 */

import { en, type GameTexts } from '#http/game-texts/en.ts';
import type { CounterKind, GamemodeKind, GroupKind } from '#store/game/statistics-groups.ts';

const group = (kind: GroupKind): GroupKind => kind;
const gamemode = (kind: GamemodeKind): GamemodeKind => kind;
const counter = (kind: CounterKind): CounterKind => kind;

group({ counters: ['win', 'lose', 'play', 'time'], matches: true, pgm: false });
// @ts-expect-error -- without counters
group({ matches: true, pgm: false });
// @ts-expect-error -- without matches
group({ counters: ['win'], pgm: false });
// @ts-expect-error -- without pgm
group({ counters: ['win'], matches: true });
// @ts-expect-error -- with a counter that does not exist
group({ counters: ['jump'], matches: true, pgm: false });

gamemode({ group: 'tntrun', tag: null, elements: ['parkour'], holds: [] });
// @ts-expect-error -- without group
gamemode({ tag: null, elements: ['parkour'], holds: [] });
// @ts-expect-error -- without tag
gamemode({ group: 'tntrun', elements: ['parkour'], holds: [] });
// @ts-expect-error -- without elements
gamemode({ group: 'tntrun', tag: null, holds: [] });
// @ts-expect-error -- without holds
gamemode({ group: 'tntrun', tag: null, elements: ['parkour'] });
// @ts-expect-error -- for a group without matches
gamemode({ group: 'factions', tag: null, elements: ['parkour'], holds: [] });

counter({ wire: 'jump_count', unit: 'count', from: 'player', in: ['page'], placeholder: 'jumps', most: null });
// @ts-expect-error -- without wire
counter({ unit: 'count', from: 'player', in: ['page'], placeholder: 'jumps', most: null });
// @ts-expect-error -- without unit
counter({ wire: 'jump_count', from: 'player', in: ['page'], placeholder: 'jumps', most: null });
// @ts-expect-error -- without from
counter({ wire: 'jump_count', unit: 'count', in: ['page'], placeholder: 'jumps', most: null });
// @ts-expect-error -- without in
counter({ wire: 'jump_count', unit: 'count', from: 'player', placeholder: 'jumps', most: null });
// @ts-expect-error -- without placeholder
counter({ wire: 'jump_count', unit: 'count', from: 'player', in: ['page'], most: null });
// @ts-expect-error -- without most
counter({ wire: 'jump_count', unit: 'count', from: 'player', in: ['page'], placeholder: 'jumps' });

const { tntrun: _group, ...groups } = en.groups;
const { blitz: _gamemode, ...gamemodes } = en.gamemodes;
// @ts-expect-error -- a group without a name
export const withoutGroup: GameTexts = { groups, gamemodes: en.gamemodes };
// @ts-expect-error -- a gamemode without a name
export const withoutGamemode: GameTexts = { groups: en.groups, gamemodes };
