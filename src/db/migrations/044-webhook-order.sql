-- offline: the version before was never released.
-- Webhooks deliver in the order of the feed, one message at a time (docs/webhooks.md). `failures` in a row since `failing` are those
-- of the message after `place`, which is tried again at `next_attempt`; `last_head`: the head of the feed if no
-- change followed it when it failed, so that the next one is tried when it comes. Neither database can change a check, so both tables are copied.
create table new_webhooks (
  key bigint primary key,
  application_key bigint not null references applications (key) on delete cascade,
  url text not null,
  form text not null check (form in ('standard', 'discord')),
  kinds text not null,
  state text not null check (state in ('unverified', 'on', 'off')),
  reason text not null,
  since bigint not null,
  verified bigint,
  feed text not null,
  place bigint not null,
  walk_head bigint,
  after_reset text not null check (after_reset in ('head', 'start')),
  sealed_secret text not null,
  sealed_former text,
  former_until bigint,
  revision bigint not null,
  logged bigint not null,
  failures bigint not null,
  failing bigint,
  next_attempt bigint not null,
  last_head bigint,
  mail_due bigint,
  mailed bigint,
  holder text not null,
  held_until bigint not null,
  created bigint not null
) /*sqlite: strict*/;

-- A webhook whose receiver was down had moved on: it goes back to the first change that waited, so that it sends all in order.
insert into new_webhooks (key, application_key, url, form, kinds, state, reason, since, verified, feed, place, walk_head,
  after_reset, sealed_secret, sealed_former, former_until, revision, logged, failures, failing, next_attempt, last_head, mail_due,
  mailed, holder, held_until, created)
select key, application_key, url, form, kinds, case when state = 'waiting' then 'on' else state end,
  case when state = 'waiting' then '' else reason end, since, verified, feed,
  case when state in ('waiting', 'off') and reason = 'failures' then coalesce((
    select min(d.change) - 1 from webhook_deliveries d cross join change_feed f
    where d.webhook_key = w.key and d.state = 'pending' and d.change <= w.place and d.change > f.floor and f.id = w.feed),
    place) else place end,
  walk_head, after_reset, sealed_secret, sealed_former, former_until, revision, logged,
  case when state = 'waiting' and reason = 'failures' then attempts else 0 end,
  case when state = 'waiting' and reason = 'failures' then failing end,
  next_attempt, null, mail_due, mailed, holder, held_until, created
from webhooks w;
drop table webhooks;
alter table new_webhooks rename to webhooks;
create index webhooks_of_application on webhooks (application_key, key);
create index webhooks_by_holder on webhooks (holder);
create index webhooks_by_mail on webhooks (mail_due) where mail_due is not null;

/*sqlite:
create trigger revocations_of_webhooks after delete on webhooks begin
  insert into revocations (kind, subject, detail) values ('webhook', old.key, 'removed');
end;
create trigger revocations_of_webhook_states after update of state on webhooks
  when (old.state = 'off') <> (new.state = 'off') begin
  insert into revocations (kind, subject, detail) values ('webhook', new.key,
    case when new.state = 'off' then 'off ' || new.reason else 'given' end);
end;
*/

/*postgres:
create trigger revocations_of_webhooks after delete on webhooks for each row execute function note_webhook_revocation();
create trigger revocations_of_webhook_states after update of state on webhooks for each row
  when ((old.state = 'off') <> (new.state = 'off')) execute function note_webhook_revocation();
*/

-- Probes are no longer sent. `next_attempt` is null after the last attempt, and 0 for a message in the order of the feed, whose time is that of its webhook.
create table new_webhook_deliveries (
  webhook_key bigint not null,
  number bigint not null,
  type text not null,
  kind text,
  resource bigint,
  change bigint,
  state text not null check (state in ('waiting', 'delivered', 'failed')),
  attempts bigint not null,
  next_attempt bigint,
  created bigint not null,
  attempted bigint,
  status bigint,
  reason text not null,
  ms bigint,
  response text not null,
  primary key (webhook_key, number)
) /*sqlite: strict*/;
insert into new_webhook_deliveries (webhook_key, number, type, kind, resource, change, state, attempts, next_attempt, created,
  attempted, status, reason, ms, response)
select d.webhook_key, d.number, d.type, d.kind, d.resource, d.change,
  case when d.state = 'delivered' then 'delivered' when d.state = 'pending' and not d.again then 'waiting' else 'failed' end,
  d.attempts,
  case when d.state = 'pending' and not d.again then case when d.type = 'feed.reset' then 0 else d.next_attempt end end,
  d.created, d.attempted, d.status,
  case when d.reason = '' and (d.state = 'replaced' or d.again) then 'replaced' else d.reason end, d.ms, d.response
from (
  select e.*, e.state = 'pending' and e.change is not null and exists (
    select 1 from webhooks w where w.key = e.webhook_key and w.place < e.change) as again
  from webhook_deliveries e where e.type <> 'webhook.probe') d;
drop table webhook_deliveries;
alter table new_webhook_deliveries rename to webhook_deliveries;
create index webhook_deliveries_waiting on webhook_deliveries (webhook_key, next_attempt, number) where next_attempt is not null;
create index webhook_deliveries_failed on webhook_deliveries (webhook_key, number) where state = 'failed' and next_attempt is null;
create index webhook_deliveries_by_resource on webhook_deliveries (webhook_key, kind, resource);
create index webhook_deliveries_by_time on webhook_deliveries (created);
