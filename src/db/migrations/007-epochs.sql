-- What tells readers that keep things ready when to let go of them, whoever wrote. On SQLite an epoch moves with every
-- change that a kept thing may have felt: a match that is changed or taken back, an access token or application that is not
-- what it was. On PostgreSQL no match is kept; who was proven is, until the server says that a credential has changed.
create table epochs (
  name text primary key,
  value bigint not null
) /*sqlite: strict, without rowid*/;
insert into epochs (name, value) values ('matches', 0), ('credentials', 0);

/*sqlite:
create trigger matches_changed after update on matches begin
  update epochs set value = value + 1 where name = 'matches';
end;
create trigger matches_deleted after delete on matches begin
  update epochs set value = value + 1 where name = 'matches';
end;
create trigger match_details_changed after update on match_details begin
  update epochs set value = value + 1 where name = 'matches';
end;
create trigger tokens_changed after update on tokens when old.kind in ('AccessToken', 'ClientCredentials') begin
  update epochs set value = value + 1 where name = 'credentials';
end;
create trigger tokens_deleted after delete on tokens when old.kind in ('AccessToken', 'ClientCredentials') begin
  update epochs set value = value + 1 where name = 'credentials';
end;
create trigger applications_changed after update on applications begin
  update epochs set value = value + 1 where name = 'credentials';
end;
create trigger applications_deleted after delete on applications begin
  update epochs set value = value + 1 where name = 'credentials';
end;
*/

/*postgres:
create function tell_credentials() returns trigger language plpgsql as $$
begin
  perform pg_notify('credentials', '');
  return null;
end $$;
create trigger tokens_changed after update or delete on tokens
  for each row when (old.kind in ('AccessToken', 'ClientCredentials')) execute function tell_credentials();
create trigger applications_changed after update or delete on applications
  for each statement execute function tell_credentials();
*/
