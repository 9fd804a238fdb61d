-- Lists are rendered from matches.head, so that no table holds what the data API renders.
drop table match_pages;
delete from follow_states where name = 'pages';
