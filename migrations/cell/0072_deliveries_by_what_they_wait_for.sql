-- A new delivery got an entry in the index of all, one in that of pending ones and one in that of those without an address. Now each of the
-- three has what the others have not, and each can be read in the order of the lists.
drop index deliveries_of_event;
drop index deliveries_pending;
drop index deliveries_parked;
create index deliveries_ended   on deliveries (merchant_id, mode, event, created_at, event_id) where status <> 'pending';
create index deliveries_waiting on deliveries (merchant_id, mode, event, created_at, event_id) where next_attempt_at is not null;
create index deliveries_parked  on deliveries (merchant_id, mode, event, created_at, event_id) where status = 'pending' and next_attempt_at is null;
