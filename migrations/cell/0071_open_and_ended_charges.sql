-- Every payment makes a row of charges and changes it once, and each time it got an entry in every index of the lists. Now those have only
-- charges that have ended, and one index has those that are open: one entry that is dead moments later, where there were three and more.
drop index charges_listed;
drop index charges_by_phone;
drop index charges_by_reference;
drop index charges_by_email;
create index charges_listed       on charges (merchant_id, mode, status, created_at, id)       where published and completed_at is not null;
create index charges_by_phone     on charges (merchant_id, mode, phone9, created_at, id)       where published and completed_at is not null and phone9 is not null;
create index charges_by_reference on charges (merchant_id, mode, reference, created_at, id)    where published and completed_at is not null and reference is not null;
create index charges_by_email     on charges (merchant_id, mode, lower(email), created_at, id) where published and completed_at is not null and email is not null;
create index charges_open         on charges (merchant_id, mode, status, created_at, id)       where follow_at is not null;
-- Test charges are open for seconds. Live ones may be for days and be many, so they are found by these three too.
create index charges_open_by_phone     on charges (merchant_id, phone9, created_at, id)        where follow_at is not null and mode = 'live' and phone9 is not null;
create index charges_open_by_reference on charges (merchant_id, reference, created_at, id)     where follow_at is not null and mode = 'live' and reference is not null;
create index charges_open_by_email     on charges (merchant_id, lower(email), created_at, id)  where follow_at is not null and mode = 'live' and email is not null;
