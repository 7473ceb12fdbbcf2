-- Whether the merchant wanted jams refunded when this one was reported: the switch may have changed since. Null: no jam stands,
-- or it was reported before this was kept.
alter table vending_orders add column refund_wanted boolean;
alter table vending_orders add constraint refund_is_wanted check (refund_due_at is null or refund_wanted is not false) not valid;
