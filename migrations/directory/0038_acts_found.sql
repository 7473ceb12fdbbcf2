-- As in a cell: rows of acts, without those of looks.
create index audit_of_merchant_acts on audit (merchant_id, id)
  where merchant_id is not null and action <> all ('{export,wallet.look-up,verification.read,merchant.view-as,audit.verify,audit.export}');
