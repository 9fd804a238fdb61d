-- The UUID that is still being looked for in what was kept; forgotten when none of it is left.
alter table pseudonyms add column original text;
