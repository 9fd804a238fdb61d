-- Accounts, applications and credentials have keys of their own row, which begin behind those they have already.
insert into sequence (name, last) select 'account', last from sequence where name = 'key';
