-- What must be found without knowing the merchant. Nothing here is touched by a payment's transaction.
create table cells (
  name text primary key check (name ~ '^cell_[0-9]+$')
);
insert into cells (name) values ('cell_0');

create table merchants (
  id         bigint generated always as identity primary key,
  public_id  text not null unique check (public_id ~ '^mer_[a-z0-9]{21}$'),
  tag        text not null unique check (tag ~ '^[a-z0-9]{5}$'),
  handle     text not null unique check (handle ~ '^[a-z0-9-]{3,30}$'),
  cell       text not null references cells,
  created_at timestamptz not null
);

create table api_keys (
  hash        bytea primary key check (length(hash) = 32),
  merchant_id bigint not null references merchants,
  id          text not null unique,
  kind        text not null check (kind in ('test', 'live', 'test_collections', 'live_collections')),
  created_at  timestamptz not null,
  revoked_at  timestamptz
);
create index api_keys_of_merchant on api_keys (merchant_id, kind) where revoked_at is null;

-- One row whose number grows with each change that processes keep in memory (keys, merchants). They look at it twice a second.
create table revision (
  only_row boolean primary key default true check (only_row),
  number   bigint not null
);
insert into revision (number) values (1);

create table payout_freeze (
  only_row   boolean primary key default true check (only_row),
  frozen     boolean not null,
  reason     text,
  changed_at timestamptz,
  check (not frozen or reason is not null)
);
insert into payout_freeze (frozen) values (false);

-- Commands that make something may carry a key of their own; the same key again prints the first answer (encrypted: it holds secrets).
create table command_keys (
  key         text primary key check (length(key) between 1 and 255),
  command     text not null,
  fingerprint bytea not null check (length(fingerprint) = 32),
  answer      bytea,
  created_at  timestamptz not null
);

-- Who did what on the command line and later in the console. Insert only.
create table audit (
  id          bigint generated always as identity primary key,
  at          timestamptz not null,
  actor       text not null,
  action      text not null,
  merchant_id bigint,
  details     jsonb not null
);

-- Append-only, for the owner too.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: % is refused', tg_table_name, lower(tg_op);
end $$;
create trigger audit_never_changes before update or delete on audit for each row execute function refuse_change();
create trigger audit_never_empty before truncate on audit for each statement execute function refuse_change();

-- Proof that this database belongs to the MASTER_KEY in use: a known text under it.
create table master_key_check (
  only_row   boolean primary key default true check (only_row),
  ciphertext bytea not null
);
