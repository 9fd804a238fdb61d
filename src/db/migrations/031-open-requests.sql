-- offline: the version before was never released.
-- Who has started a sign-in or pushed an authorization request: the subject of its limit, an application or a network. Its
-- open requests are counted by it.
alter table tokens add column opener text;
create index tokens_by_opener on tokens (opener, expires) where opener is not null;
