-- The hot tables carry no foreign key to merchants: it costs a locked look at one shared row for each row stored. A merchant
-- is never deleted, its head row has the key, and `verify` looks for orphans.
create table charges (
  merchant_id         bigint not null,
  id                  text   not null,
  mode                mode   not null,
  status              text   not null check (status in ('pending', 'authorized', 'succeeded', 'failed', 'refunded')),
  amount              bigint not null check (amount between 1 and 9007199254740991),
  fee                 bigint not null,
  gift_card_amount    bigint not null default 0 check (gift_card_amount between 0 and amount),
  channel             text   not null check (channel in ('op1_momo', 'op2_money', 'card')),
  phone               text,
  phone9              text,
  email               text,
  reference           text,
  rail_reference      text,
  rail_transaction_id text,
  failure_reason      text check (failure_reason in ('insufficient_funds', 'user_cancelled', 'timeout', 'rail_rejected')),
  payment_link_id     text,
  refund_id           text,
  published           boolean not null default true,
  voided_at           timestamptz,
  created_at          timestamptz not null,
  completed_at        timestamptz,
  refunded_at         timestamptz,
  follow_at           timestamptz,
  hold_until          timestamptz,
  settled_at          timestamptz,
  settlement_id       text,
  primary key (merchant_id, id),
  constraint fee_within_amount  check (fee >= 0 and fee <= amount - gift_card_amount),
  constraint fee_is_the_formula check (fee = case when amount = gift_card_amount then 0
    else least(greatest((amount - gift_card_amount) / 1000 * 15 + (amount - gift_card_amount) % 1000 * 15 / 1000, 200), 5000) end),
  constraint failed_has_reason  check ((status = 'failed') = (failure_reason is not null)),
  constraint final_has_time     check ((status in ('succeeded', 'failed', 'refunded')) = (completed_at is not null)),
  constraint open_is_followed   check ((status in ('pending', 'authorized') and voided_at is null) = (follow_at is not null)),
  constraint held_when_paid     check ((status in ('succeeded', 'refunded')) = (hold_until is not null)),
  constraint settled_after_hold check (settled_at is null or (hold_until is not null and (mode = 'test' or settled_at >= hold_until))),
  constraint settled_by_record  check (settlement_id is null or settled_at is not null),
  constraint refunded_has_time  check ((status = 'refunded') = (refunded_at is not null) and (status = 'refunded') = (refund_id is not null)),
  constraint voided_is_hidden   check (voided_at is null or (status in ('pending', 'authorized') and not published)),
  constraint test_is_published  check (mode = 'live' or (published and voided_at is null))
) with (fillfactor = 85);

-- One index serves the plain list (five short ordered scans) and the list by status; each filter has its own with the same tail.
create index charges_listed       on charges (merchant_id, mode, status, created_at, id) where published;
create index charges_by_phone     on charges (merchant_id, mode, phone9, created_at, id) where published and phone9 is not null;
create index charges_by_reference on charges (merchant_id, mode, reference, created_at, id) where published and reference is not null;
create index charges_by_email     on charges (merchant_id, mode, lower(email), created_at, id) where published and email is not null;
create index charges_followed     on charges (follow_at) where follow_at is not null;
create index charges_held         on charges (merchant_id, mode, hold_until) where hold_until is not null and settled_at is null;

-- The table of moves (charges/charge.ts) said again where no code can forget it; free for allowed moves.
create function refuse_move() returns trigger language plpgsql as $$
begin
  raise exception '% % may not move from % to %', tg_table_name, old.id, old.status, new.status;
end $$;
create trigger charges_move_forward before update of status on charges for each row
  when (old.status is distinct from new.status and (old.status, new.status) not in (
    ('pending', 'authorized'), ('pending', 'succeeded'), ('pending', 'failed'),
    ('authorized', 'succeeded'), ('authorized', 'failed'), ('succeeded', 'refunded')))
  execute function refuse_move();

-- Live movements only: one attempt for each, for life; its id is the reference the rail sees.
create table rail_attempts (
  merchant_id         bigint not null,
  id                  text   not null,
  subject             text   not null,
  side                text   not null check (side in ('collect', 'disburse')),
  channel             text   not null,
  installation        text   not null,
  state               text   not null check (state in ('queued', 'sending', 'accepted', 'in_doubt', 'not_sent', 'ended', 'void')),
  sending_since       timestamptz,
  submit_ended_at     timestamptz,
  question_count      integer not null default 0,
  first_not_found_at  timestamptz,
  not_found_count     integer not null default 0,
  created_at          timestamptz not null,
  primary key (merchant_id, id),
  unique (merchant_id, subject)
);
create unique index rail_attempts_one_reference on rail_attempts (id);

-- What was asked and heard, when; holds no secret and no full phone number. Never changed.
create table rail_evidence (
  merchant_id   bigint not null,
  attempt_id    text   not null,
  seq           bigint generated always as identity,
  at            timestamptz not null,
  operation     text   not null check (operation in ('ready', 'submit', 'status', 'confirm')),
  answer        text   not null,
  stage         text   not null check (stage in ('gate', 'connect', 'sent', 'answered')),
  http_status   integer,
  operator_code text,
  transport     text,
  elapsed_ms    integer not null,
  body_sha256   text,
  body_head     text,
  primary key (merchant_id, attempt_id, seq)
);
create trigger evidence_never_changes before update or delete on rail_evidence for each row execute function refuse_change();
create trigger evidence_never_emptied before truncate on rail_evidence for each statement execute function refuse_change();
