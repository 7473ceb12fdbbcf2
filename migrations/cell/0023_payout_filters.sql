-- GET /v1/payouts?reference= and ?phone=: each with the tail of the list, as charges have them.
create index payouts_by_reference on payouts (merchant_id, mode, reference, created_at, id) where published and reference is not null;
create index payouts_by_phone     on payouts (merchant_id, mode, right(recipient_phone, 9), created_at, id) where published;
