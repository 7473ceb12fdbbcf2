-- What a customer can pay on a hosted page: links of the API and items of the storefront (kind `link`); a vending order owns a
-- row of kind `order` with its id, which the link endpoints never show. A row says nothing about payment: its status is
-- derived from its charges by a join, and never written by a charge's outcome.
create table payment_links (
  merchant_id         bigint not null references merchants,
  id                  text   not null,
  mode                mode   not null,
  kind                text   not null default 'link' check (kind in ('link', 'order')),
  -- An amount that the fee would eat could never be paid.
  amount              bigint not null check (amount between 201 and 9007199254740991),
  description         text check (length(description) <= 1000),
  reference           text check (length(reference) <= 255),
  success_url         text check (length(success_url) <= 2048),
  cancel_url          text check (length(cancel_url) <= 2048),
  allow_multiple_uses boolean not null,
  -- One-shot only: the attempt that holds the link. Written in the commit that stores the charge, emptied when the customer
  -- retries after a failure. One that was taken back (charges.voided_at) holds nothing any more.
  charge_id           text,
  switched_off_at     timestamptz,
  created_at          timestamptz not null,
  primary key (merchant_id, id),
  unique (merchant_id, id, mode),
  constraint reusable_is_never_held check (not allow_multiple_uses or charge_id is null),
  constraint orders_are_one_shot    check (kind = 'link' or not allow_multiple_uses)
) with (fillfactor = 85);
create index payment_links_listed       on payment_links (merchant_id, mode, created_at, id) where kind = 'link';
create index payment_links_by_reference on payment_links (merchant_id, mode, reference, created_at, id)
  where kind = 'link' and reference is not null;

-- A charge born on a link shares its merchant and its mode. Rows of the API have no link and are not looked at; `not valid`
-- spares the old rows, none of which has one.
alter table charges
  add column pays_once boolean not null default false,
  add constraint charge_is_of_its_link foreign key (merchant_id, payment_link_id, mode)
    references payment_links (merchant_id, id, mode) not valid,
  add constraint pays_once_on_a_link check (not pays_once or payment_link_id is not null),
  -- Wholly covered by a gift card: no rail was asked, nothing is posted, and it succeeds as it is born.
  add constraint covered_needs_no_rail check (amount > gift_card_amount
    or (status in ('succeeded', 'refunded') and rail_reference is null and fee = 0)) not valid;

-- A one-shot link has at most one attempt that is open or paid, whatever the code believes.
create unique index charges_once_on_link on charges (merchant_id, payment_link_id)
  where pays_once and status <> 'failed' and voided_at is null;
create index charges_paid_on_link on charges (merchant_id, payment_link_id, created_at, id)
  where payment_link_id is not null and status in ('succeeded', 'refunded');
-- How many PIN prompts a phone has had of late, over all links of all merchants of this cell.
create index charges_prompting on charges (phone9, created_at) where payment_link_id is not null and mode = 'live';
-- Posts nothing, so the ledger does not lead to it.
create index charges_covered on charges (merchant_id, mode, completed_at) where amount = gift_card_amount;
