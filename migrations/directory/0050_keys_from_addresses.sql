-- From where a key may be used: at most 20 networks, null: from anywhere. It stands in the row by which a key is found, so that it costs no look-up.
alter table api_keys add column allowed_from cidr[];
alter table api_keys add constraint api_keys_allowed_from_check
  check (cardinality(allowed_from) between 1 and 20 and array_position(allowed_from, null) is null);
-- A new key takes over the list of the one before it, which may be revoked.
create index api_keys_ever_of_merchant on api_keys (merchant_id, kind, created_at);
