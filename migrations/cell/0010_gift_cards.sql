-- Store credit of one merchant, live only, outside the money ledger: only what is paid by mobile money is ever posted.
create table gift_cards (
  merchant_id    bigint not null references merchants,
  id             text   not null check (id ~ '^gc_[a-z0-9]{21}$'),
  -- HMAC of the code under a key that is not in this database: a stolen table cannot be searched offline.
  code_hash      bytea  not null check (length(code_hash) = 32),
  last4          text   not null check (length(last4) = 4),
  value          bigint not null check (value between 1 and 9007199254740991),
  balance        bigint not null check (balance >= 0),
  reserved       bigint not null default 0 check (reserved >= 0),
  spent          bigint not null default 0 check (spent >= 0),
  notes          text check (length(notes) <= 1000),
  expires_at     timestamptz not null,
  deactivated_at timestamptz,
  created_at     timestamptz not null,
  primary key (merchant_id, id),
  unique (merchant_id, code_hash),
  constraint value_is_kept check (value = balance + reserved + spent)
) with (fillfactor = 85);
create index gift_cards_listed on gift_cards (merchant_id, created_at, id);

-- One card a payment. Reserved when the charge is stored, taken when it succeeds, freed when it fails or is taken back;
-- an attempt in doubt keeps it. A refund restores what was taken.
create table gift_card_uses (
  merchant_id bigint not null,
  charge_id   text   not null,
  card_id     text   not null,
  amount      bigint not null check (amount > 0),
  state       text   not null check (state in ('reserved', 'taken', 'freed', 'restored')),
  created_at  timestamptz not null,
  ended_at    timestamptz,
  primary key (merchant_id, charge_id),
  foreign key (merchant_id, card_id) references gift_cards (merchant_id, id),
  foreign key (merchant_id, charge_id) references charges (merchant_id, id),
  constraint reserved_is_open check ((state = 'reserved') = (ended_at is null))
);
create index gift_card_uses_of_card on gift_card_uses (merchant_id, card_id);
create trigger card_uses_move_forward before update of state on gift_card_uses for each row
  when (old.state is distinct from new.state
    and (old.state, new.state) not in (('reserved', 'taken'), ('reserved', 'freed'), ('taken', 'restored')))
  execute function refuse_change();

-- Wrong voucher codes of one link: twenty in a day close its box for a day.
create table voucher_misses (
  merchant_id  bigint not null,
  link_id      text   not null,
  misses       integer not null check (misses >= 0),
  since        timestamptz not null,
  closed_until timestamptz,
  primary key (merchant_id, link_id),
  foreign key (merchant_id, link_id) references payment_links (merchant_id, id)
);
