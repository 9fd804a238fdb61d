-- offline: the version before was never released.
-- Refresh tokens that replaced each other are a family, which all of them name in their first characters; the hash of that
-- part tells a used token of the family from an unknown one without a row for each. The column held the user codes of the
-- device flow, which no version has had on, so it is empty.
drop index tokens_by_user_code;
alter table tokens rename column user_code_hash to family_hash;
create index tokens_by_family on tokens (family_hash) where family_hash is not null;

-- Finds the tokens beyond the limit of an application and account, and, by its first column, those of an application.
drop index tokens_by_client;
create index tokens_by_owner on tokens (client_id, kind, account_id, expires);

-- A grant lasts as long as the last of its tokens, instead of a year.
update tokens set expires = coalesce((select max(t.expires) from tokens t where t.grant_id = tokens.hash), 0)
where kind = 'Grant';
