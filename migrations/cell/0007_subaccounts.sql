-- Shares of charges for others. Identity is shared by both modes, balances are not.
create table subaccounts (
  merchant_id  bigint not null references merchants,
  id           text   not null,
  name         text   not null check (length(name) between 1 and 200),
  status       text   not null default 'active' check (status in ('active', 'inactive')),
  external_ref text,
  payout_phone text,
  created_at   timestamptz not null,
  primary key (merchant_id, id)
);
create index subaccounts_listed on subaccounts (merchant_id, created_at, id);

create table subaccount_heads (
  merchant_id   bigint not null,
  mode          mode   not null,
  subaccount_id text   not null,
  available     bigint not null default 0 check (available >= 0),
  pending       bigint not null default 0 check (pending   >= 0),
  primary key (merchant_id, mode, subaccount_id)
) with (fillfactor = 50);

-- The resolved shares of a split charge, in request order; what they leave is the platform's.
create table charge_shares (
  merchant_id   bigint  not null,
  charge_id     text    not null,
  share_index   integer not null check (share_index between 0 and 19),
  mode          mode    not null,
  subaccount_id text    not null,
  amount        bigint  not null check (amount > 0),
  -- Not paid out to its subaccount: the charge failed, or the subaccount was inactive when it succeeded.
  reversed      boolean not null default false,
  hold_until    timestamptz,
  settled_at    timestamptz,
  settlement_id text,
  primary key (merchant_id, charge_id, share_index),
  constraint one_share_each unique (merchant_id, charge_id, subaccount_id),
  constraint settled_after_hold check (settled_at is null or (hold_until is not null and (mode = 'test' or settled_at >= hold_until))),
  constraint settled_by_record  check ((settled_at is null) = (settlement_id is null)),
  constraint reversed_is_never_paid check (not reversed or hold_until is null)
);
create index charge_shares_held on charge_shares (merchant_id, mode, hold_until) where hold_until is not null and settled_at is null;

-- Of a split charge: what goes to subaccounts. Null on every other charge.
alter table charges add column shares bigint;
alter table charges add constraint shares_within_net check (shares is null or shares between 0 and amount - gift_card_amount - fee);
alter table charges add constraint split_is_not_refunded check (shares is null or status <> 'refunded');
