-- offline: the version before was never released.
-- Allows links that undo a change of the e-mail address: neither database can change a check, so the table is copied.
create table new_mail_tokens (
  hash text primary key,
  kind text not null check (kind in ('register', 'verify', 'reset', 'email', 'sign-in', 'undo-email')),
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

-- Mails to accounts about what happened in another process or in a transaction of events; a job sends them.
create table account_notices (
  account_id text /*postgres: collate "C"*/ not null references accounts (id) on delete cascade,
  kind text not null check (kind in ('linked')),
  label text not null,
  created bigint not null,
  primary key (account_id, kind, created)
) /*sqlite: strict, without rowid*/;
