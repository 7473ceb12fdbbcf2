-- An order is a payment link that ends: unpaid it dies at its time, or earlier when the merchant takes it back.
alter table payment_links
  add column expires_at     timestamptz,
  add column invalidated_at timestamptz,
  add constraint orders_expire check ((kind = 'order') = (expires_at is not null)),
  add constraint links_stay    check (kind = 'order' or invalidated_at is null);

-- The merchant's machines, the same in both modes. Nothing is deleted: what vanished is inactive, what was removed has a time.
create table machines (
  merchant_id    bigint not null references merchants,
  machine        text   not null check (length(machine) between 1 and 64),
  name           text   not null check (length(name) between 1 and 200),
  address        text,
  category       text,
  type           text,
  latitude       text,
  longitude      text,
  active         boolean not null default true,
  removed_at     timestamptz,
  last_synced_at timestamptz,
  created_at     timestamptz not null,
  primary key (merchant_id, machine)
);
create index machines_by_number on machines (machine) where removed_at is null;

-- How a merchant's supplier is reached. Key and secret are sealed; merchant, purpose and column are bound to each.
create table vending_suppliers (
  merchant_id       bigint primary key references merchants,
  base_url          text   not null check (length(base_url) <= 2048),
  shbh              text   not null check (length(shbh) between 1 and 64),
  key_ciphertext    bytea  not null,
  secret_ciphertext bytea  not null,
  changed_at        timestamptz not null
);
-- Signing profile and what it accepts; a merchant without a row has the defaults.
create table vending_profiles (
  merchant_id       bigint primary key references merchants,
  profile           text    not null default 'default' check (profile in ('default', 'optimistic')),
  accept_api_secret boolean not null default true,
  changed_at        timestamptz not null
);
create table dispense_secrets (
  merchant_id bigint not null references merchants,
  mode        mode   not null,
  ciphertext  bytea  not null,
  created_at  timestamptz not null,
  primary key (merchant_id, mode)
);

-- The machine's side of an order; what is paid stands on its payment link and that link's charges.
create table vending_orders (
  merchant_id      bigint not null,
  id               text   not null,
  mode             mode   not null,
  machine          text   not null,
  -- As it was sent, to the character: it is passed to the machine unchanged.
  goods            json   not null,
  pay_account      text check (length(pay_account) <= 64),
  vending_status   text   not null default 'pending' check (vending_status in ('pending', 'dispensing', 'dispensed', 'failed')),
  vending_error    text check (length(vending_error) <= 500),
  -- A machine has said so, or a person has: nothing moves it any more.
  confirmed        boolean not null default false,
  dispense_result  json,
  units_dispensed  integer check (units_dispensed >= 0),
  dispensed_at     timestamptz,
  -- The number of commands so far; the number of an event of this order is that of the command it is about.
  attempts         integer not null default 0 check (attempts >= 0),
  -- Looked at by the sweep until it is paid and commanded, or can never be paid any more.
  watched          boolean not null default true,
  refund_due_at    timestamptz,
  refund_until     timestamptz,
  created_at       timestamptz not null,
  primary key (merchant_id, id),
  constraint order_is_a_link foreign key (merchant_id, id, mode) references payment_links (merchant_id, id, mode),
  foreign key (merchant_id, machine) references machines (merchant_id, machine),
  constraint dispensed_has_time check ((vending_status = 'dispensed') = (dispensed_at is not null)),
  constraint refund_has_end     check ((refund_due_at is null) or refund_until is not null)
) with (fillfactor = 70);
create index vending_orders_watched   on vending_orders (created_at) where watched;
create index vending_orders_refunding on vending_orders (refund_due_at) where refund_due_at is not null;
-- A callback without ids is about the newest of these at its machine.
create index vending_orders_unconfirmed on vending_orders (merchant_id, machine, mode, created_at, id)
  where vending_status = 'dispensing' or (vending_status = 'dispensed' and not confirmed);
create index vending_orders_of_machine on vending_orders (merchant_id, machine, mode, created_at, id);

create trigger vending_moves_forward before update of vending_status on vending_orders for each row
  when (old.vending_status is distinct from new.vending_status and ((old.vending_status, new.vending_status) not in (
    ('pending', 'dispensing'), ('pending', 'failed'), ('dispensing', 'dispensed'), ('dispensing', 'failed'),
    ('failed', 'dispensing'), ('failed', 'dispensed'), ('dispensed', 'failed'))
    or (old.vending_status = 'dispensed' and old.confirmed)))
  execute function refuse_change();

-- One succeeded charge pays one dispense: a claim that is not released stands in the way of every other.
create table dispense_claims (
  merchant_id  bigint not null,
  id           text   not null,
  mode         mode   not null,
  charge_id    text   not null,
  kind         text   not null check (kind in ('order', 'direct')),
  -- Of an order its id; of a direct dispense the merchant's own number.
  order_id     text   not null check (length(order_id) between 1 and 64),
  machine      text   not null,
  goods        json   not null,
  pay_account  text,
  attempt      integer not null check (attempt >= 1),
  -- claimed: nothing has been sent. commanding: the command may have left. The rest is what was heard, or decided.
  state        text   not null check (state in ('claimed', 'commanding', 'accepted', 'ambiguous', 'delivered', 'released')),
  lease_until  timestamptz,
  claimed_at   timestamptz not null,
  commanded_at timestamptz,
  answered_at  timestamptz,
  released_at  timestamptz,
  supplier_code    text,
  supplier_message text,
  -- Test mode: when the simulated machine reports, and what.
  reports_at   timestamptz,
  reports      text check (reports in ('delivered', 'jam', 'not_finished')),
  -- Of a direct dispense, which has no order row to say it.
  vending_status  text check (vending_status in ('dispensing', 'dispensed', 'failed')),
  dispense_result json,
  units_dispensed integer,
  primary key (merchant_id, id),
  foreign key (merchant_id, charge_id) references charges (merchant_id, id),
  constraint released_has_time check ((state = 'released') = (released_at is not null)),
  constraint claimed_is_unsent check (state <> 'claimed' or commanded_at is null),
  constraint simulated_in_test check (reports_at is null or mode = 'test')
) with (fillfactor = 70);
create unique index dispense_claims_once   on dispense_claims (merchant_id, charge_id) where released_at is null;
-- A callback about a direct dispense names the charge only, also after its claim was released.
create index dispense_claims_of_charge     on dispense_claims (merchant_id, charge_id, claimed_at);
create index dispense_claims_of_order      on dispense_claims (merchant_id, order_id, attempt);
create index dispense_claims_waiting       on dispense_claims (lease_until) where state in ('claimed', 'commanding');
create index dispense_claims_simulated     on dispense_claims (reports_at) where reports_at is not null;

-- What suppliers have sent, for 90 days. The first content per (order, sign) counts; a sign serves one order only.
create table vendor_callbacks (
  merchant_id bigint not null,
  id          text   not null,
  order_id    text   not null,
  charge_id   text,
  machine     text,
  sign        text   not null check (sign ~ '^[0-9a-f]{32}$'),
  outcome     text   not null check (outcome in ('dispensed', 'jam', 'not_finished', 'mismatch', 'unpaid', 'refunded', 'contradiction')),
  body        text   not null check (length(body) <= 65536),
  received_at timestamptz not null,
  primary key (merchant_id, id)
);
create unique index vendor_callbacks_once on vendor_callbacks (merchant_id, sign);
create index vendor_callbacks_age on vendor_callbacks using brin (received_at);
