-- `verify` compares what stands with the newest row of the audit that decided it, without reading the rows of all payouts.
create index audit_of_decisions on audit (action, merchant_id, id) where action in (
  'merchant.create', 'merchant.verify', 'merchant.set', 'merchant.terms', 'merchant.vending', 'merchant.jams', 'webhook.address',
  'verification.submit', 'payouts.freeze', 'payouts.unfreeze', 'payouts.freeze-ends', 'checker.set', 'subaccount.set',
  'withdrawal.number', 'withdrawal.verify', 'withdrawal.request', 'withdrawal.decide', 'withdrawal.cancel', 'subaccount.payout', 'top-up.request',
  'payout.bulk', 'schedule.create', 'schedule.change', 'payout.prepare', 'payout.approve', 'payout.reject', 'payout.withdraw', 'card.issue',
  'approval.ask', 'approval.approve', 'approval.reject', 'approval.withdraw', 'key.create', 'key.rotate');
