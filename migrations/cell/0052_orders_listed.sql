-- The log of orders on the dashboard: all of a mode, or those of one state, in the order of time.
create index vending_orders_listed on vending_orders (merchant_id, mode, created_at, id);
