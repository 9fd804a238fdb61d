-- offline: the indexes on punishments block their writes while they are built.
-- Former names that a player or staff removed, by keyed hashes of the UUID and of the key of the name. Reports up to the time
-- `until` do not bring the name back. The player has a row for each UUID. Its key is null while the player is erased, and may be
-- that of no player: a restored backup may be older than the player.
create table removed_names (
  uuid_hash text not null,
  name_hash text not null,
  until bigint not null,
  player_key bigint,
  primary key (uuid_hash, name_hash)
) /*sqlite: strict, without rowid*/;
create index removed_names_by_player on removed_names (player_key);

-- Punishments whose staff have the label of the UUID in the place of a removed name, which follow the present one.
create index punishments_by_unnamed_punisher on punishments (punisher_uuid)
where punisher_name = substr(punisher_uuid, 1, 9) || substr(punisher_uuid, 25);
create index punishments_by_unnamed_revoker on punishments (revoker_uuid)
where revoker_name = substr(revoker_uuid, 1, 9) || substr(revoker_uuid, 25);

-- A restored backup must not show a name that was removed since.
/*sqlite:
create trigger revocations_of_removed_names after insert on removed_names begin
  insert into revocations (kind, subject, detail)
  values ('removed name', coalesce(new.player_key, 0) || ' ' || new.uuid_hash || ' ' || new.name_hash, cast(new.until as text));
end;
create trigger revocations_of_removed_names_again after update of until on removed_names begin
  insert into revocations (kind, subject, detail)
  values ('removed name', coalesce(new.player_key, 0) || ' ' || new.uuid_hash || ' ' || new.name_hash, cast(new.until as text));
end;
*/
/*postgres:
create function note_removed_name() returns trigger language plpgsql as $$
begin
  insert into revocations (kind, subject, detail)
  values ('removed name', coalesce(new.player_key, 0) || ' ' || new.uuid_hash || ' ' || new.name_hash, cast(new.until as text));
  return null;
end $$;
create trigger revocations_of_removed_names after insert or update of until on removed_names for each row
  execute function note_removed_name();
*/
