-- What operators write about a merchant, for one another. Append-only.
create table merchant_notes (
  id          bigint generated always as identity primary key,
  merchant_id bigint not null references merchants,
  says        text   not null check (length(says) between 1 and 2000),
  at          timestamptz not null,
  by_person   bigint not null references people,
  by          text   not null
);
create index merchant_notes_of on merchant_notes (merchant_id, id);
create trigger notes_never_change before update or delete on merchant_notes for each row execute function refuse_change();
create trigger notes_never_empty before truncate on merchant_notes for each statement execute function refuse_change();

-- An operator's look at the pages of a merchant: read-only, for half an hour, in one session. The merchant hears that it was, and when.
create table support_views (
  id          bigint generated always as identity primary key,
  merchant_id bigint not null references merchants,
  person_id   bigint not null references people,
  -- The public id of the session; it may be gone by now.
  session_id  text   not null,
  reason      text   not null check (length(reason) between 1 and 500),
  began_at    timestamptz not null,
  ends_at     timestamptz not null,
  constraint view_ends_later check (ends_at > began_at)
);
create index support_views_of on support_views (merchant_id, id);
create index support_views_open on support_views (session_id, merchant_id, ends_at);
