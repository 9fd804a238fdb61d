-- offline: the version before was never released.
-- Mails to the operators, failures of the mail server, and the last run of the purge.

-- The last mail about each subject. One conditional statement claims a mail, so that of several processes one sends it.
-- `covers` is the newest thing that the mail was about: the key of a request, or the time of a heartbeat. `delivered` is
-- null until the mail server has accepted the mail.
create table operator_mails (
  subject text primary key,
  sent bigint not null,
  covers bigint not null,
  delivered bigint
) /*sqlite: strict, without rowid*/;

-- Mail servers whose last mail failed, without their credentials. A mail that is delivered deletes the row.
create table mail_failures (
  server text primary key,
  since bigint not null,
  error text not null
) /*sqlite: strict, without rowid*/;

-- When a job last completed. The purge compares this with the clock, so that a clock that jumps ahead deletes nothing.
create table job_runs (
  name text primary key,
  completed bigint not null
) /*sqlite: strict, without rowid*/;
insert into job_runs (name, completed)
  select 'purge', max(newest.time) from (
    select * from (select received as time from ledger order by key desc limit 1) last_event
    union all
    select * from (select time from audit order by id desc limit 1) last_entry
  ) newest having max(newest.time) is not null;

create index accounts_operators on accounts (id) where role = 'operator';
