-- Orders that can still be paid: all others without a payment are over, and these are few however many there were.
create index payment_links_open on payment_links (merchant_id, mode, expires_at) where kind = 'order' and invalidated_at is null;
