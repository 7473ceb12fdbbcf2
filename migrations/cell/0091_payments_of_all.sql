-- One list of live payments over all merchants, newest first. Test payments cost nothing here: they move no money.
create index charges_of_all on charges (created_at, id) where mode = 'live' and published;
create index payouts_of_all on payouts (created_at, id) where mode = 'live' and published;
-- What has ended, in that order: by this it is taken up into the search.
create index charges_ended_of_all on charges (completed_at, id) where mode = 'live' and completed_at is not null;
create index payouts_ended_of_all on payouts (completed_at, id) where mode = 'live' and completed_at is not null;
create index top_ups_ended_of_all on top_ups (completed_at, id) where completed_at is not null;

-- The search by parts (decision 50). Payments are numbered as they end, 65,536 to a segment.
create table search_segments (
  segment       integer primary key check (segment >= 0),
  payments      integer not null check (payments between 0 and 65536),
  -- Between these its payments were made.
  created_from  timestamptz not null,
  created_until timestamptz not null
);
create table search_payments (
  segment     integer not null,
  position    integer not null check (position between 0 and 65535),
  merchant_id bigint  not null,
  id          text    not null,
  primary key (segment, position)
);
-- Which payments of a segment have a token (three characters that follow each other, an amount, a merchant, a reason): their
-- positions, ascending, two bytes each. Lists of up to 8 KB stay in their rows: a search reads some hundred of them.
create table search_postings (
  token     integer not null,
  segment   integer not null,
  positions bytea   not null check (length(positions) % 2 = 0),
  primary key (token, segment)
) with (fillfactor = 70, toast_tuple_target = 8160);
alter table search_postings alter column positions set storage external;
-- How far the payments that have ended are taken up.
create table search_mark (
  only_row boolean primary key default true check (only_row),
  ended_at timestamptz not null,
  id       text not null
);
insert into search_mark (ended_at, id) values ('-infinity', '');
