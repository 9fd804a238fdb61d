-- online: the version before records no removal of a name, and its statements do not use the table.
-- Former names that a player or staff removed: the keyed hash of the name's key. Reports up to the time `until` do not bring the
-- name back. The player may be missing: a restored backup may be older than the player.
create table removed_names (
  player_key bigint not null,
  name_hash text not null,
  until bigint not null,
  primary key (player_key, name_hash)
) /*sqlite: strict, without rowid*/;

-- A restored backup must not show a name that was removed since.
/*sqlite:
create trigger revocations_of_removed_names after insert on removed_names begin
  insert into revocations (kind, subject, detail)
  values ('removed name', new.player_key || ' ' || new.name_hash, cast(new.until as text));
end;
create trigger revocations_of_removed_names_again after update of until on removed_names begin
  insert into revocations (kind, subject, detail)
  values ('removed name', new.player_key || ' ' || new.name_hash, cast(new.until as text));
end;
*/
/*postgres:
create function note_removed_name() returns trigger language plpgsql as $$
begin
  insert into revocations (kind, subject, detail)
  values ('removed name', new.player_key || ' ' || new.name_hash, cast(new.until as text));
  return null;
end $$;
create trigger revocations_of_removed_names after insert or update of until on removed_names for each row
  execute function note_removed_name();
*/
