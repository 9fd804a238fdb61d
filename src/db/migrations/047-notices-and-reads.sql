-- online: the version before writes and reads neither table, and the rows about an account are deleted with it.
-- Mails to punished players, one a punishment, known by the keyed hash of its issuer and the issuer's reference. `due` is when a
-- process may send it, and null once it is sent; `expires` when it is too late to send it.
create table punishment_notices (
  reference_hash text primary key,
  punishment_key bigint not null,
  due bigint,
  expires bigint not null
) /*sqlite: strict, without rowid*/;
create index punishment_notices_due on punishment_notices (due) where due is not null;
create index punishment_notices_expires on punishment_notices (expires);

-- A restored backup must not send a mail again.
/*sqlite:
create trigger revocations_of_punishment_notices after update of due on punishment_notices
  when new.due is null and old.due is not null begin
  insert into revocations (kind, subject, detail, until)
  values ('punishment notice', new.reference_hash, cast(new.expires as text), new.expires);
end;
*/
/*postgres:
create function note_punishment_notice() returns trigger language plpgsql as $$
begin
  insert into revocations (kind, subject, detail, until)
  values ('punishment notice', new.reference_hash, cast(new.expires as text), new.expires);
  return null;
end $$;
create trigger revocations_of_punishment_notices after update of due on punishment_notices for each row
  when (new.due is null and old.due is not null) execute function note_punishment_notice();
*/

-- How often an application read the data of an account's game account on a day (a bucket of the leaderboards). It
-- stays when the application is deleted.
create table account_reads (
  account_id text /*postgres: collate "C"*/ not null references accounts (id) on delete cascade,
  day bigint not null,
  application_key bigint not null,
  requests bigint not null,
  primary key (account_id, day, application_key)
) /*sqlite: strict, without rowid*/;
create index account_reads_by_day on account_reads (day);
