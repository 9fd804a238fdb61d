-- offline: the version before was never released.
-- The surviving players of matches in which a UUID took part that was merged into theirs. Readers show them under their
-- present names there (store/game/merged-players.ts).
create table merged_in_matches (
  match_key bigint not null references matches (key) on delete cascade,
  player_key bigint not null references players (key) on delete cascade,
  primary key (match_key, player_key)
) /*sqlite: strict, without rowid*/;
create index merged_in_matches_by_player on merged_in_matches (player_key, match_key);

-- Earlier versions wrote the surviving UUID into these matches and did not record which ones: all of the player's.
insert into merged_in_matches (match_key, player_key)
select r.match_key, r.player_key from player_matches r
where r.player_key in (select p.key from players p join player_aliases a on a.into_uuid = p.uuid)
union
select d.match_key, o.player_key from name_observations o join match_details d on d.match_key = o.ledger_key
where o.player_key in (select p.key from players p join player_aliases a on a.into_uuid = p.uuid);

-- Cached matches show the present names of merged players. A new match is not cached, and its details are written later.
/*sqlite:
create trigger merged_in_matches_inserted after insert on merged_in_matches
when exists (select 1 from match_details where match_key = new.match_key) begin
  update data_versions set value = value + 1 where name = 'matches';
end;
create trigger merged_players_renamed after update of uuid, name on players
when (old.name <> new.name or old.uuid <> new.uuid)
  and exists (select 1 from merged_in_matches where player_key = new.key) begin
  update data_versions set value = value + 1 where name = 'matches';
end;
*/

-- Ranks in teampvp (store/game/teampvp-ranks.ts): the values by which each player is counted, and how many players there are
-- in each bucket of values. On level n a bucket covers 64^n values.
create table ranked_players (
  player_key bigint primary key,
  kill bigint not null,
  win bigint not null,
  ratio bigint not null,
  objective bigint not null,
  time bigint not null
) /*sqlite: strict, without rowid*/;
create table rank_counts (
  counter text /*postgres: collate "C"*/ not null,
  level bigint not null,
  bucket bigint not null,
  players bigint not null,
  primary key (counter, level, bucket)
) /*sqlite: strict, without rowid*/;

-- Players whose counters in teampvp have changed since they were counted.
create table rank_changes (
  player_key bigint primary key
) /*sqlite: strict, without rowid*/;
insert into rank_changes (player_key) select player_key from player_stats where teampvp_play > 0;

-- The events from which a rotation is rebuilt: the newest one, and removals of its server.
create index ledger_rotations on ledger (aggregate, time, key) where type = 'rotation.changed' and withdrawn is null;
create index ledger_removals on ledger (scope_key, key) where type = 'server.removed';
-- The versions of a map, among which there may be very many ratings.
create index ledger_publications on ledger (aggregate, key) where type = 'map.published';
