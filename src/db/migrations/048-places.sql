-- offline: the version before counts no places when it counts leaderboards, and uses the table `rank_counts`.
-- How many players there are in each bucket of values (store/game/place-counts.ts). `board` is a time bucket of leaderboards, or
-- -1 for the ranks in teampvp. On level n a bucket covers 64^n values; bucket 1 of level 9 has all players with a value.
create table place_counts (
  board bigint not null,
  mode text /*postgres: collate "C"*/ not null,
  counter text /*postgres: collate "C"*/ not null,
  level bigint not null,
  bucket bigint not null,
  players bigint not null,
  primary key (board, mode, counter, level, bucket)
) /*sqlite: strict, without rowid*/;

-- Players who are on no leaderboard and count in no place: private, hidden and erased ones. Without a reference to `players`,
-- whose row a projection must not lock.
create table unranked_players (
  player_key bigint primary key
) /*sqlite: strict, without rowid*/;
insert into unranked_players (player_key)
select p.key from players p
where exists (select 1 from private_players v where v.uuid = p.uuid and v.profile = 1)
  or exists (select 1 from hidden_players h where h.uuid = p.uuid)
  or (p.name like 'deleted-______' and p.uuid like '______________4%');
delete from ranked_players where player_key in (select player_key from unranked_players);

insert into place_counts (board, mode, counter, level, bucket, players)
with recursive levels (level, width) as (
    select cast(0 as bigint), cast(1 as bigint)
    union all select level + 1, width * 64 from levels where level < 8),
  counted (board, mode, counter, value, players) as (
    select bucket, mode, 'win', win, count(*) from boards
    where win > 0 and player_key not in (select player_key from unranked_players) group by bucket, mode, win
    union all
    select bucket, mode, 'kill', kill, count(*) from boards
    where kill > 0 and player_key not in (select player_key from unranked_players) group by bucket, mode, kill
    union all
    select bucket, mode, 'play', play, count(*) from boards
    where play > 0 and player_key not in (select player_key from unranked_players) group by bucket, mode, play
    union all select -1, 'teampvp', 'kill', kill, count(*) from ranked_players where kill > 0 group by kill
    union all select -1, 'teampvp', 'win', win, count(*) from ranked_players where win > 0 group by win
    union all select -1, 'teampvp', 'ratio', ratio, count(*) from ranked_players where ratio > 0 group by ratio
    union all select -1, 'teampvp', 'objective', objective, count(*) from ranked_players where objective > 0 group by objective
    union all select -1, 'teampvp', 'time', time, count(*) from ranked_players where time > 0 group by time)
select board, mode, counter, level, value / width, sum(players) from counted
join levels on (value / width) % 64 <> 0
group by board, mode, counter, level, value / width
union all
select board, mode, counter, 9, 1, sum(players) from counted group by board, mode, counter;

drop table rank_counts;

-- What a person's linked player had at the last visit of the site, and at the one before, which the present state is compared with.
create table last_visits (
  account_id text primary key references accounts (id) on delete cascade,
  player_key bigint not null,
  seen bigint not null,
  wins bigint not null,
  place bigint not null,
  former_seen bigint,
  former_wins bigint,
  former_place bigint
) /*sqlite: strict, without rowid*/;
