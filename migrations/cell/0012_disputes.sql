-- A customer's report on a receipt. Moves no money. Details and contact are raw input of strangers.
create table disputes (
  merchant_id bigint not null,
  id          text   not null check (id ~ '^dsp_[a-z0-9]{21}$'),
  mode        mode   not null,
  charge_id   text   not null,
  reason      text   not null check (reason in ('not_delivered', 'wrong_amount', 'double_charge', 'other')),
  details     text check (length(details) <= 2000),
  contact     text check (length(contact) <= 160),
  opened_at   timestamptz not null,
  respond_by  timestamptz not null,
  closed_at   timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, charge_id) references charges (merchant_id, id),
  check (respond_by > opened_at),
  check (closed_at >= opened_at)
);
create unique index disputes_open_once on disputes (merchant_id, charge_id) where closed_at is null;
create index disputes_opened on disputes (merchant_id, opened_at, id);
create trigger closed_disputes_never_change before update on disputes for each row when (old.closed_at is not null)
  execute function refuse_change();
create trigger disputes_never_go before delete on disputes for each row execute function refuse_change();
