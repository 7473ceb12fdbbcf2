-- Deliveries that wait for an address, in the order in which they are released: a step of some hundred reads no more than these.
create index deliveries_parked on deliveries (merchant_id, created_at, event_id) where status = 'pending' and next_attempt_at is null;
