-- With the role of whoever has let a till in, or with its claim to an address, ends the till's session. Null: before this was kept, and for
-- people.
alter table sessions add column let_in_by bigint references people;
create index sessions_let_in on sessions (let_in_by) where let_in_by is not null;
-- What somebody has invited to ends the same way.
create index one_time_links_made_by on one_time_links (made_by) where used_at is null and made_by is not null;
