-- offline: the version before was never released.
-- Players who are never shown live, on one server or, with scope 0, on the network. `entry_key` is the UUID or the key of the
-- name in `entry`. `uuid` is the player; null while no player has had the name.
create table hidden_players (
  scope_key bigint not null,
  entry_key text not null,
  entry text not null,
  uuid text,
  primary key (scope_key, entry_key)
) /*sqlite: strict, without rowid*/;
create index hidden_players_by_uuid on hidden_players (uuid);
