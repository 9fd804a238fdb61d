-- Whether somebody did it as an operator: such acts keep the name of who did them when that account is deleted.
alter table audit add column as_operator bigint not null default 0;
