-- In lists of the audit those who looked stand apart from those who did something: however often somebody looks, no act gets out of sight.
create index audit_of_merchant_acts on audit (merchant_id, id)
  where merchant_id is not null and action <> all ('{export,wallet.look-up,verification.read,merchant.view-as,audit.verify,audit.export}');
