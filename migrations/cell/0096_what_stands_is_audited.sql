-- `verify` compares what stands with the newest row of the audit that decided it: the rows of more acts than before.
drop index audit_of_decisions;
create index audit_of_decisions on audit (action, merchant_id, id) where action in (
  'merchant.create', 'merchant.verify', 'merchant.set', 'merchant.terms', 'merchant.vending', 'merchant.jams', 'webhook.address',
  'verification.submit', 'payouts.freeze', 'payouts.unfreeze', 'payouts.freeze-ends', 'checker.set', 'subaccount.set',
  'withdrawal.number', 'withdrawal.verify', 'withdrawal.request', 'withdrawal.decide', 'withdrawal.cancel', 'subaccount.payout', 'top-up.request',
  'payout.bulk', 'schedule.create', 'schedule.change', 'payout.prepare', 'payout.approve', 'payout.reject', 'payout.withdraw', 'card.issue',
  'approval.ask', 'approval.approve', 'approval.reject', 'approval.withdraw', 'key.create', 'key.rotate',
  'upgrade.record', 'subaccount.create', 'card.switch', 'vending.set', 'merchant.close', 'merchant.reopen');
-- What stands is written down once, for what was made or set before its act said enough: from here on each change has a row. The time is that of
-- the last act before. A process of the release before writes rows of its own, which come later and count:
-- the locks wait for what is under way.
lock table merchants, withdrawal_numbers, subaccounts in share mode;
with last as (select max(at) as at from audit),
  told as (
    select m.id as merchant_id, m.public_id as subject, jsonb_build_object('kycStatus', m.kyc_status, 'active', m.active,
      'vendingEnabled', m.vending_enabled, 'autoRefundOnJam', m.auto_refund_on_jam, 'instantSettlement', m.instant_settlement,
      'chargeLimit', m.charge_limit, 'payoutLimit', m.payout_limit,
      'webhookUrl', case when m.webhook_url ~ '[sp]k_(test|live)_|whsec_|dsec_' then '***' else m.webhook_url end) as after from merchants m
    union all
    select n.merchant_id, 'withdrawal number', jsonb_build_object('verified', n.verified_at is not null,
      'phone', left(n.phone, 4) || repeat('*', greatest(0, length(n.phone) - 7)) || right(n.phone, 3),
      'digest', encode(substr(sha256(convert_to(n.phone, 'UTF8')), 1, 8), 'hex')) from withdrawal_numbers n
    union all
    select s.merchant_id, 'subaccounts', jsonb_object_agg(s.id, encode(substr(sha256(convert_to(s.payout_phone, 'UTF8')), 1, 8), 'hex'))
    from (select *, row_number() over (partition by merchant_id order by id) / 500 as part from subaccounts) s group by s.merchant_id, s.part)
insert into audit (at, actor_kind, actor, origin, action, merchant_id, subject, after)
select coalesce(last.at, m.created_at), 'service', 'upgrade', '', 'upgrade.record', m.id, t.subject, t.after
from told t join merchants m on m.id = t.merchant_id cross join last order by m.id;
