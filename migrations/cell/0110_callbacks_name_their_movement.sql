-- The address of a callback names its movement, so its attempt is found by rail_attempts_once, and the digest of its token is only compared. The
-- other index was on random values and grew with every live payment. Attempts of before keep the digest in callback_token_sha256 and are found
-- by rail_attempts_of_callback, which no new row enters. Both can go in a release that is installed when no attempt of before is open any more.
-- An index of open rows alone would name the state, and then no change of state could stay within its page.
alter table rail_attempts add column callback_digest bytea;
alter table rail_attempts add constraint rail_attempts_callback_digest_check check (length(callback_digest) = 32) not valid;
