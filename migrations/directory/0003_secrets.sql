-- A key that was revoked here is closed in its merchant's cell too, where it may still sign callbacks; a sweep finishes what a crash cut.
alter table api_keys add column closed_in_cell boolean not null default false;
create index api_keys_to_close on api_keys (merchant_id) where revoked_at is not null and not closed_in_cell;

-- Answers under a command's key hold secrets: they are emptied after a day.
create index command_keys_answered on command_keys (created_at) where answer is not null;

-- Keys that outlive a change of MASTER_KEY, sealed with it: what they were used on cannot be made anew (codes of gift cards, forms
-- that customers have open).
create table lasting_keys (
  purpose    text primary key,
  ciphertext bytea not null
);
