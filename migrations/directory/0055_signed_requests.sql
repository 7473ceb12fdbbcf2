-- Whose signature each request with a key needs: Ed25519 public keys of 32 bytes, two while one is changed; null: no request needs one. They
-- stand in the row by which a key is found, so that they cost no look-up.
alter table api_keys add column signed_by bytea[];
alter table api_keys add constraint api_keys_signed_by_check
  check (cardinality(signed_by) between 1 and 2 and array_position(signed_by, null) is null
    and octet_length(signed_by[1]) = 32 and coalesce(octet_length(signed_by[2]), 32) = 32);
