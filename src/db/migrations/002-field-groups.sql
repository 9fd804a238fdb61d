-- offline: the version before was never released.
-- Kills know victim, place and deaths without a killer; wools, cores and destroyables are listed by player.

alter table player_stats add column cp_envdeath bigint not null default 0;
alter table player_stats add column ctw_envdeath bigint not null default 0;
alter table player_stats add column objective_envdeath bigint not null default 0;
alter table player_stats add column teampvp_envdeath bigint not null default 0;
alter table player_matches add column envdeath_count bigint not null default 0;
alter table faction_reports add column faction_id text not null default '';
alter table faction_reports add column faction_role text not null default '';

-- One row for each kill; without a killer for the others deaths. Names are those at the time; UUIDs are the players' own,
-- so that they follow merges. `location` is JSON of `{world, x, y, z}`.
create table kills_with_victims (
  match_key bigint not null references matches (key) on delete cascade,
  number bigint not null,
  killer_key bigint references players (key) on delete cascade,
  killer_name text not null,
  victim_key bigint not null references players (key) on delete cascade,
  victim_name text not null,
  time bigint not null,
  location text,
  primary key (match_key, number)
) /*sqlite: strict, without rowid*/;
insert into kills_with_victims (match_key, number, killer_key, killer_name, victim_key, victim_name, time)
select k.match_key, k.number, k.killer_key, k.killer_name, coalesce(p.key, t.key), k.victim_name, k.time
from kills k
left join players p on p.uuid = k.victim_uuid
left join player_aliases a on a.uuid = k.victim_uuid
left join players t on t.uuid = a.into_uuid
where coalesce(p.key, t.key) is not null;
drop table kills;
alter table kills_with_victims rename to kills;
/*postgres: alter index kills_with_victims_pkey rename to kills_pkey; */
create index kills_by_killer on kills (killer_key, match_key, number);
create index kills_by_victim on kills (victim_key, match_key, number);

-- The wools, cores and destroyables that players completed; `number` is the place among the match's objectives. `percent`
-- is the player's share of a destroyable.
create table player_objectives (
  player_key bigint not null references players (key) on delete cascade,
  type text /*postgres: collate "C"*/ not null,
  match_key bigint not null references matches (key) on delete cascade,
  number bigint not null,
  name text not null,
  color text not null,
  team text not null,
  percent double precision not null,
  time bigint not null,
  primary key (player_key, type, match_key, number)
) /*sqlite: strict, without rowid*/;
create index player_objectives_by_match on player_objectives (match_key);

/*sqlite:
insert into player_objectives (player_key, type, match_key, number, name, color, team, percent, time)
select coalesce(p.key, t.key), o.value ->> '$.type', d.match_key, o.key, o.value ->> '$.name', o.value ->> '$.color',
  o.value ->> '$.team', 100, o.value ->> '$.time'
from match_details d join json_each(d.objectives) o
left join players p on p.uuid = o.value ->> '$.player.uuid'
left join player_aliases a on a.uuid = o.value ->> '$.player.uuid'
left join players t on t.uuid = a.into_uuid
where o.value ->> '$.type' in ('wool', 'core', 'destroyable') and coalesce(p.key, t.key) is not null;
*/
/*postgres:
insert into player_objectives (player_key, type, match_key, number, name, color, team, percent, time)
select coalesce(p.key, t.key), o.value ->> 'type', d.match_key, o.place - 1, o.value ->> 'name', o.value ->> 'color',
  o.value ->> 'team', 100, (o.value ->> 'time')::bigint
from match_details d cross join jsonb_array_elements(d.objectives::jsonb) with ordinality o (value, place)
left join players p on p.uuid = o.value #>> '{player,uuid}'
left join player_aliases a on a.uuid = o.value #>> '{player,uuid}'
left join players t on t.uuid = a.into_uuid
where o.value ->> 'type' in ('wool', 'core', 'destroyable') and coalesce(p.key, t.key) is not null;
*/

-- Hashes of access tokens that were deleted because they expired or were revoked, so that such a token is answered with
-- the challenge on which clients refresh, never with 429. A trigger sees every deletion; it has no clock, so the purge that
-- follows sets `until`, the end of the day for which the hash stays.
create table former_tokens (
  hash text primary key,
  until bigint
) /*sqlite: strict, without rowid*/;
create index former_tokens_by_end on former_tokens (until);

/*sqlite:
create trigger former_tokens_added after delete on tokens when old.kind in ('AccessToken', 'ClientCredentials') begin
  insert into former_tokens (hash) values (old.hash) on conflict (hash) do nothing;
end;
*/
/*postgres:
create function add_former_token() returns trigger language plpgsql as $$
begin
  insert into former_tokens (hash) values (old.hash) on conflict (hash) do nothing;
  return null;
end $$;
create trigger former_tokens_added after delete on tokens
  for each row when (old.kind in ('AccessToken', 'ClientCredentials')) execute function add_former_token();
*/
