-- A bulk call that a person has uploaded and looks at before it is sent. It holds the bytes as they came, so that exactly they are sent, and
-- so that refused lines can be mended. Removed a day after it was made, or thirty days after it was sent.
create table bulk_drafts (
  merchant_id bigint not null,
  id          text   not null,
  mode        mode   not null,
  csv         bytea  not null check (length(csv) between 1 and 4194304),
  -- How many lines of the CSV stand before the first one that the person has written.
  added_lines integer not null check (added_lines between 0 and 1),
  name        text   not null check (length(name) between 1 and 200),
  lines       integer not null check (lines between 1 and 1000),
  made_by     bigint not null,
  made_name   text   not null,
  created_at  timestamptz not null,
  expires_at  timestamptz not null,
  -- The call that it was sent as, or the prepared one.
  object_id   text,
  primary key (merchant_id, id)
);
create index bulk_drafts_listed  on bulk_drafts (merchant_id, mode, created_at, id);
create index bulk_drafts_expired on bulk_drafts (expires_at);
create index bulk_drafts_sent    on bulk_drafts (merchant_id, object_id) where object_id is not null;

-- Calls, cycles and top-ups as pages list them.
create index bulk_batches_listed on bulk_batches (merchant_id, mode, created_at, id);
create index payouts_of_merchant_withdrawn on payouts (merchant_id, created_at, id) where kind = 'withdrawal';
