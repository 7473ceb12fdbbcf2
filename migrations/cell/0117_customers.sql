-- What a shop writes down about the people who pay it, by their number. Payments keep the number themselves: forgetting somebody deletes this
-- row, and the books stay.
create table customers (
  merchant_id bigint not null,
  mode        mode   not null,
  phone       text   not null check (phone ~ '^[0-9]{9,15}$'),
  name        text   check (length(name) between 1 and 100),
  note        text   check (length(note) between 1 and 2000),
  changed_at  timestamptz not null,
  primary key (merchant_id, mode, phone),
  check (name is not null or note is not null)
);
create index customers_changed on customers (merchant_id, mode, changed_at);
