-- offline: the version before would not subtract withdrawn matches.
-- The place of the player's team in the match, from 0; null in matches that the version before stored.
alter table player_matches add column team bigint;

-- Who killed whom how often in all counted matches (store/game/rivals/kill-pairs.ts). Most pairs have one or two kills, so lists
-- read from three on, and only these rows are in the indexes in the order of the lists.
create table kill_pairs (
  killer_key bigint not null,
  victim_key bigint not null,
  kill bigint not null,
  primary key (killer_key, victim_key)
) /*sqlite: strict, without rowid*/;
create index kill_pairs_victims on kill_pairs (killer_key, kill, victim_key) where kill >= 3;
create index kill_pairs_killers on kill_pairs (victim_key, kill, killer_key) where kill >= 3;

-- Streaks and the best values of a player in one match, with the match (store/game/rivals/player-records.ts). `streak` is the
-- present one: victories in a row, defeats as a negative number.
create table player_records (
  player_key bigint primary key,
  streak bigint not null,
  win_streak bigint not null default 0,
  lose_streak bigint not null default 0,
  kill bigint not null default 0,
  kill_match bigint,
  score bigint not null default 0,
  score_match bigint,
  time bigint not null default 0,
  time_match bigint
) /*sqlite: strict*/;

insert into projections (name, last, made_for) values ('rivals', 0, '');
