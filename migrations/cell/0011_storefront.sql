-- What the public page of a merchant offers: each item is a reusable live link with a name and a picture. Another price is
-- another link, so that nobody pays a price that was not shown; the old link is switched off.
create table storefront_items (
  merchant_id bigint not null references merchants,
  id          text   not null check (id ~ '^itm_[a-z0-9]{21}$'),
  link_id     text   not null,
  name        text   not null check (length(name) between 1 and 200),
  -- Re-encoded when it was added: small, and without whatever else the file held.
  picture     bytea check (length(picture) <= 262144),
  picture_at  timestamptz,
  removed_at  timestamptz,
  created_at  timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, link_id) references payment_links (merchant_id, id),
  check ((picture is null) = (picture_at is null))
);
create unique index storefront_items_of_link on storefront_items (merchant_id, link_id);
create index storefront_items_shown on storefront_items (merchant_id, created_at, id) where removed_at is null;
