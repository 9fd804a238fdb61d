-- offline: the version before was never released.
-- Addresses for after a sign-out, beside those that are derived from the redirect URIs. New ones of an approved application wait.
alter table applications add column post_logout_redirect_uris text not null default '[]';
alter table application_changes add column post_logout_redirect_uris text not null default '[]';

-- Tells the secrets of an application apart; '' for one without a name.
alter table application_secrets add column name text not null default '';
