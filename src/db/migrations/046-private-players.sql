-- offline: the version before would show private players, and an erasure would keep these UUIDs.
-- What people chose that others do not see of their players, by UUID: the profile, the online state, the former names. A merge
-- and an erasure write the row of every UUID of the person.
create table private_players (
  uuid text primary key,
  profile bigint not null check (profile in (0, 1)),
  online bigint not null check (online in (0, 1)),
  names bigint not null check (names in (0, 1))
) /*sqlite: strict, without rowid*/;

-- The setting PRIVATE_IN_MATCHES, by which readers of matches hide private players: 1 for `hidden`. Services store it.
create table private_in_matches (
  hidden bigint primary key check (hidden in (0, 1))
) /*sqlite: strict*/;
insert into private_in_matches (hidden) values (0);
alter table renamed_players add column played bigint not null default 0;

-- Cached matches show or hide other players after these changes.
/*sqlite:
create trigger version_of_new_private_players after insert on private_players begin
  update data_versions set value = value + 1 where name = 'matches';
end;
create trigger version_of_changed_private_players after update on private_players begin
  update data_versions set value = value + 1 where name = 'matches';
end;
create trigger version_of_private_players after delete on private_players begin
  update data_versions set value = value + 1 where name = 'matches';
end;
create trigger version_of_private_in_matches after update on private_in_matches begin
  update data_versions set value = value + 1 where name = 'matches';
end;
*/

-- The log has the key of the player, because it must not hold UUIDs.
/*sqlite:
create trigger revocations_of_new_private_players after insert on private_players begin
  insert into revocations (kind, subject, detail)
  select 'private player', key, new.profile || ' ' || new.online || ' ' || new.names from players where uuid = new.uuid;
end;
create trigger revocations_of_changed_private_players after update on private_players begin
  insert into revocations (kind, subject, detail)
  select 'private player', key, new.profile || ' ' || new.online || ' ' || new.names from players where uuid = new.uuid;
end;
create trigger revocations_of_private_players after delete on private_players begin
  insert into revocations (kind, subject, detail) select 'private player', key, '0 0 0' from players where uuid = old.uuid;
end;
*/

/*postgres:
create function note_private_player() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    insert into revocations (kind, subject, detail) select 'private player', key, '0 0 0' from players where uuid = old.uuid;
  else
    insert into revocations (kind, subject, detail)
    select 'private player', key, new.profile || ' ' || new.online || ' ' || new.names from players where uuid = new.uuid;
  end if;
  return null;
end $$;
create trigger revocations_of_private_players after insert or delete or update on private_players for each row
  execute function note_private_player();
*/
