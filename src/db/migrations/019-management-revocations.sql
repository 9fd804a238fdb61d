-- offline: the version before was never released.
-- A restored backup must not follow a game server again whose management connection was removed, or led elsewhere, since: its
-- secret gives full control of the server. The subject is the server and the address.
/*sqlite:
create trigger revocations_of_managed_servers after delete on managed_servers begin
  insert into revocations (kind, subject, detail) values ('management', old.server_key || ' ' || old.url, 'removed');
end;
create trigger revocations_of_changed_managed_servers after update of url on managed_servers when old.url <> new.url begin
  insert into revocations (kind, subject, detail) values ('management', old.server_key || ' ' || old.url, 'removed');
  insert into revocations (kind, subject, detail) values ('management', new.server_key || ' ' || new.url, 'given');
end;
create trigger revocations_of_new_managed_servers after insert on managed_servers begin
  insert into revocations (kind, subject, detail) values ('management', new.server_key || ' ' || new.url, 'given');
end;
*/

/*postgres:
create function note_management_revocation() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    insert into revocations (kind, subject, detail) values ('management', old.server_key || ' ' || old.url, 'removed');
  end if;
  if tg_op <> 'DELETE' then
    insert into revocations (kind, subject, detail) values ('management', new.server_key || ' ' || new.url, 'given');
  end if;
  return null;
end $$;
create trigger revocations_of_managed_servers after insert or delete on managed_servers for each row
  execute function note_management_revocation();
create trigger revocations_of_changed_managed_servers after update of url on managed_servers for each row
  when (old.url <> new.url) execute function note_management_revocation();
*/
