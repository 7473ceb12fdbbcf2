-- A worker looks at an uploaded statement, imports it and takes it back; its page shows how far that is. A file that a command imports
-- has its row too, without bytes.
alter table statement_files
  -- What a worker is to do with it; null when there is nothing. The release before this one says nothing, and has looked already.
  add column wanted        text default 'look' constraint known_wish check (wanted in ('look', 'import')),
  add column looked_at     timestamptz,
  -- Since when lines of it may be stored, and who wanted that.
  add column asked_at      timestamptz,
  add column asked_by      text,
  -- From when to when its lines are, whatever period it was compared for: by this they are found again.
  add column lines_from    timestamptz,
  add column lines_to      timestamptz,
  -- Which run works on it, and until when nobody else may.
  add column claim         text,
  add column claimed_until timestamptz,
  add column step          text,
  add column done          bigint,
  add column tries         integer not null default 0 check (tries >= 0),
  -- Why it came to nothing.
  add column failed        text,
  add column taken_back_at timestamptz,
  add column taken_back_by text,
  add constraint asked_by_somebody      check ((asked_at is null) = (asked_by is null)),
  add constraint taken_back_by_somebody check ((taken_back_at is null) = (taken_back_by is null));
update statement_files set looked_at = made_at, wanted = null;
create index statement_files_wanted on statement_files (made_at) where wanted is not null;

alter table approvals drop constraint approvals_kind_check;
alter table approvals add constraint approvals_kind_check
  check (kind in ('unfreeze-platform', 'installation', 'accept-breach', 'take-back-statement'));
