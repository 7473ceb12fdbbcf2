-- Deliveries of one kind of event, and those that were given up: a page of either may lie among millions of others.
create index deliveries_of_event on deliveries (merchant_id, mode, event, created_at, event_id);
create index deliveries_failed   on deliveries (merchant_id, mode, created_at, event_id) where status = 'failed';
