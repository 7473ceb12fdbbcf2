-- Accounts whose payouts somebody has frozen: few, and looked for twice a minute.
create index ledger_heads_frozen on ledger_heads (merchant_id, mode) where payouts_frozen_for is not null;
