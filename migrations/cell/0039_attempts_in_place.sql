-- The state of an attempt changes three times a payment. An index whose condition names it makes every change a new entry in all
-- indexes of the table; without it the row is changed in place, for which pages keep some room.
drop index rail_attempts_to_review;
create index rail_attempts_unreviewed on rail_attempts (installation, created_at) where reviewed_at is null;
alter table rail_attempts set (fillfactor = 70);
