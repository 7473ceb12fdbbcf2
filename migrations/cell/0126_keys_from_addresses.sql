-- The addresses from which a key was used lately, the newest first.
alter table api_keys add column used_from text[];
alter table api_keys add constraint api_keys_used_from_check check (cardinality(used_from) between 1 and 5);
