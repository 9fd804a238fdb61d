-- How often the text of a match was rewritten: whoever keeps it can tell whether it is still the same without reading it.
alter table match_details add column revision bigint not null default 0;
