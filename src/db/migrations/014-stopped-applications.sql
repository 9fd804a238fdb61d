-- Why an application is stopped: its owners' accounts are all disabled, or the last of them was deleted.
alter table applications add column stopped text check (stopped in ('disabled', 'deleted'));
update applications set stopped = 'disabled'
where exists (select 1 from application_owners o where o.application_key = applications.key)
  and not exists (
    select 1 from application_owners o join accounts a on a.id = o.account_id
    where o.application_key = applications.key and a.disabled is null);
create index applications_stopped on applications (key) where stopped is not null;
