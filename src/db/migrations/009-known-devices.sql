-- offline: the version before was never released.
-- Browsers that have signed in to an account, by the hash of their cookie; they have their own limit of wrong passwords.
create table known_devices (
  account_id text /*postgres: collate "C"*/ not null references accounts (id) on delete cascade,
  hash text not null,
  seen bigint not null,
  primary key (account_id, hash)
) /*sqlite: strict, without rowid*/;
create index known_devices_by_seen on known_devices (seen);

-- Allows links that sign in: neither database can change a check, so the table is copied.
create table new_mail_tokens (
  hash text primary key,
  kind text not null check (kind in ('register', 'verify', 'reset', 'email', 'sign-in')),
  account_id text /*postgres: collate "C"*/ references accounts (id) on delete cascade,
  email_key text not null,
  data text not null,
  expires bigint not null
) /*sqlite: strict, without rowid*/;
insert into new_mail_tokens (hash, kind, account_id, email_key, data, expires)
select hash, kind, account_id, email_key, data, expires from mail_tokens;
drop table mail_tokens;
alter table new_mail_tokens rename to mail_tokens;
create index mail_tokens_by_account on mail_tokens (account_id, kind);
create index mail_tokens_by_expiry on mail_tokens (expires);
