-- The list of pending deliveries of a merchant whose others have long arrived: without it the list reads all of them.
create index deliveries_pending on deliveries (merchant_id, mode, created_at, event_id) where status = 'pending';
