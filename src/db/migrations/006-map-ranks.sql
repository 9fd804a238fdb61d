-- offline: the version before was never released.
-- The order of maps by matches played and by rating, for all maps (gamemode '') and for each gamemode. `rating` is the
-- average of all votes in thousandths, 0 below the number of votes that ranks a map. The job `rank maps` fills the table.
create table map_ranks (
  gamemode_key text /*postgres: collate "C"*/ not null,
  map_key bigint not null references maps (key) on delete cascade,
  plays bigint not null,
  votes bigint not null,
  rating bigint not null,
  primary key (gamemode_key, map_key)
) /*sqlite: strict, without rowid*/;
create index map_ranks_by_map on map_ranks (map_key);
create index map_ranks_by_plays on map_ranks (gamemode_key, plays, map_key);
create index map_ranks_by_rating on map_ranks (gamemode_key, rating, map_key);
