-- Handles that merchants had before: their addresses lead to the present one, and nobody else gets them.
create table former_handles (
  handle      text primary key check (handle ~ '^[a-z0-9-]{3,40}$'),
  merchant_id bigint not null references merchants,
  left_at     timestamptz not null
);
create index former_handles_of_merchant on former_handles (merchant_id, left_at);
