-- The same for what is decided for the platform: its freeze, and what two operators have approved.
create index audit_of_decisions on audit (action, id) where action in (
  'payouts.freeze', 'payouts.unfreeze', 'approval.ask', 'approval.approve', 'approval.reject', 'approval.withdraw');
