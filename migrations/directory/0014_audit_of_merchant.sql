-- What people do to their accounts stands here, and a merchant's people read it beside what its cell has.
create index audit_of_merchant on audit (merchant_id, id) where merchant_id is not null;
