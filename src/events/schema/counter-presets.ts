import type { z } from 'zod';
import { PGM_GROUPS } from '#store/game/statistics-groups.ts';
import type { COUNTER_EVENTS } from './counters.ts';

type Declaration = z.output<(typeof COUNTER_EVENTS)['counter.declared']['data']>;

const preset = (order: number, key: string, en: string, ja: string, data: Partial<Declaration> = {}): Declaration => ({
  key,
  label: { en, ja },
  aggregate: 'sum',
  modes: [...PGM_GROUPS],
  most: 10_000,
  order,
  ...data,
});

/**
 * Declarations of the counters that PGM's statistics module has in addition to the fixed ones. Damage is in half hearts,
 * distances in blocks, times in seconds.
 */
export const PGM_COUNTERS: readonly Declaration[] = [
  preset(10, 'assists', 'Assists', 'アシスト'),
  preset(20, 'best_streak', 'Best kill streak', '最多連続キル', { aggregate: 'max', most: 1_000 }),
  preset(30, 'wools', 'Wools captured', '設置した羊毛', { modes: ['ctw'], most: 100 }),
  preset(40, 'wools_touched', 'Wools touched', '触れた羊毛', { modes: ['ctw'], most: 1_000 }),
  preset(50, 'cores', 'Cores leaked', '破壊したコア', { modes: ['objective'], most: 100 }),
  preset(60, 'monuments', 'Monuments destroyed', '破壊したモニュメント', { modes: ['objective'], most: 100 }),
  preset(70, 'monument_pieces', 'Monument pieces broken', '壊したモニュメントのブロック', { modes: ['objective'] }),
  preset(80, 'flags', 'Flags captured', '奪取したフラッグ', { modes: ['objective'], most: 1_000 }),
  preset(90, 'flags_picked', 'Flags picked up', '拾ったフラッグ', { modes: ['objective'] }),
  preset(100, 'longest_flag_hold', 'Longest flag hold, seconds', 'フラッグ最長保持（秒）', {
    aggregate: 'max',
    modes: ['objective'],
    most: 86_400,
  }),
  preset(110, 'damage_dealt', 'Damage dealt', '与ダメージ', { most: 1_000_000 }),
  preset(120, 'damage_received', 'Damage received', '被ダメージ', { most: 1_000_000 }),
  preset(130, 'damage_dealt_bow', 'Bow damage dealt', '弓の与ダメージ', { most: 1_000_000 }),
  preset(140, 'damage_received_bow', 'Bow damage received', '弓の被ダメージ', { most: 1_000_000 }),
  preset(150, 'longest_bow_kill', 'Longest bow kill, blocks', '最長の弓キル（ブロック）', {
    aggregate: 'max',
    most: 1_000,
  }),
];
