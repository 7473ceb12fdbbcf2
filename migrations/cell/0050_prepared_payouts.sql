-- Maker and checker (docs/decisions/0026). What an owner requires for live payouts that people make. API keys are not affected.
create table checker_rules (
  merchant_id bigint primary key references merchants,
  -- Live payouts and bulk calls of more than this need a second person. Null: none does.
  above       bigint check (above between 0 and 9007199254740991),
  changed_at  timestamptz not null,
  changed_by  text not null,
  -- A weaker rule that one person wants. It holds from this time on, or as soon as a second person agrees.
  next_above  bigint check (next_above between 0 and 9007199254740991),
  next_from   timestamptz,
  next_by     bigint,
  next_name   text,
  constraint next_is_whole  check ((next_from is null) = (next_by is null) and (next_from is null) = (next_name is null)
    and (next_from is not null or next_above is null)),
  constraint next_is_weaker check (next_from is null or (above is not null and (next_above is null or next_above > above)))
);

-- A payout, bulk call or schedule that one person has prepared and another one may approve. The approval runs exactly these bytes.
create table prepared_payouts (
  merchant_id  bigint not null,
  id           text   not null,
  mode         mode   not null,
  kind         text   not null check (kind in ('payout', 'bulk', 'schedule')),
  status       text   not null check (status in ('prepared', 'approved', 'rejected', 'expired', 'withdrawn')),
  request      bytea  not null check (length(request) between 2 and 4194304),
  fingerprint  bytea  not null check (length(fingerprint) = 32),
  -- What it asks for, for lists: whole UGX without fees, the fees, and to how many.
  amount       bigint  not null check (amount >= 0),
  fees         bigint  not null check (fees >= 0),
  recipients   integer not null check (recipients between 1 and 1000),
  note         text    check (length(note) between 1 and 500),
  made_by      bigint  not null,
  made_name    text    not null,
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  -- Who approved, rejected or withdrew it; nobody when it expired.
  decided_by   bigint,
  decided_name text,
  decided_at   timestamptz,
  reason       text    check (length(reason) between 1 and 500),
  -- What the approval made, in its own commit. A payout that its operator provably did not take may be replaced by another try.
  object_id    text,
  tries        integer not null default 0 check (tries >= 0),
  primary key (merchant_id, id),
  constraint decided_has_time  check ((status = 'prepared') = (decided_at is null)),
  constraint decided_by_person check ((status in ('approved', 'rejected', 'withdrawn')) = (decided_by is not null)
    and (decided_by is null) = (decided_name is null)),
  constraint approved_made_it  check ((status = 'approved') = (object_id is not null) and (status = 'approved') = (tries > 0)),
  constraint two_persons       check (status not in ('approved', 'rejected') or decided_by <> made_by),
  constraint own_withdrawn     check (status <> 'withdrawn' or decided_by = made_by),
  constraint expires_later     check (expires_at > created_at)
);
create index prepared_listed  on prepared_payouts (merchant_id, mode, created_at, id);
create index prepared_waiting on prepared_payouts (expires_at) where status = 'prepared';
create unique index prepared_made_once on prepared_payouts (merchant_id, object_id) where object_id is not null;
create trigger prepared_payouts_move_forward before update of status on prepared_payouts for each row
  when (old.status <> 'prepared' and new.status <> old.status)
  execute function refuse_move();
create trigger prepared_keep_request before update of request, fingerprint, kind, mode, amount, made_by on prepared_payouts for each row
  when ((old.request, old.fingerprint, old.kind, old.mode, old.amount, old.made_by)
    is distinct from (new.request, new.fingerprint, new.kind, new.mode, new.amount, new.made_by))
  execute function refuse_change();
