import { BORN, maskedPhone, ofActions, unmasked } from './audited.ts'
import type { Invariant } from './invariant.ts'

// What an operator, an owner or a command sets on a merchant: the column, its name in the audit, the action that sets it, and with what
// a merchant begins where the row of its creation does not say.
const SWITCHES = [
  ['active', 'active', 'merchant.set', `'true'`],
  ['vending_enabled', 'vendingEnabled', 'merchant.vending', null],
  ['auto_refund_on_jam', 'autoRefundOnJam', 'merchant.jams', `'off'`],
  ['instant_settlement', 'instantSettlement', 'merchant.terms', `'false'`],
  ['charge_limit', 'chargeLimit', 'merchant.terms', 'null'],
  ['payout_limit', 'payoutLimit', 'merchant.terms', 'null'],
  ['rate_limits', 'rateLimits', 'merchant.terms', `'{}'`],
  ['webhook_url', 'webhookUrl', 'webhook.address', 'null'],
] as const
const STANDS = SWITCHES.map(([column, name]) => `('${name}', m.${column}::text)`).join(', ')
const BEGINS = SWITCHES.flatMap(([, name, , value]) =>
  value === null ? [] : [`('${name}', ${value})`],
).join(', ')
const SAID = `select distinct on (a.merchant_id, s.name) a.merchant_id, s.name, s.value from audit a
    cross join lateral (select * from jsonb_each_text(a.after) union all
      select * from (values ${BEGINS}) b where a.action = 'merchant.create' and a.after ? 'kycStatus') s (name, value)
  where ${ofActions('merchant.create', ...new Set(SWITCHES.map(([, , action]) => action)))} order by a.merchant_id, s.name, a.id desc`

/** The terms of merchants: each is what the newest row of the audit says that somebody made it. */
export const TERM_INVARIANTS: readonly Invariant[] = [
  {
    id: 'TE1',
    says: "a merchant's limits and rates, settlement, address for webhooks, refunds of jams, and whether it is active are as somebody last set them",
    counted: 'select count(*) from merchants',
    offenders: `select m.id as merchant_id, 'live'::mode as mode, format('%s of %s', s.name, m.public_id) as offender from merchants m
      cross join lateral (values ${STANDS}) s (name, value)
      join (${SAID}) said on said.merchant_id = m.id and said.name = s.name
      where said.value is distinct from s.value and ${unmasked('said.value')}`,
  },
  {
    id: 'TE2',
    says: 'a merchant is verified, rejected or pending because somebody decided that, or because it has answered a rejection since',
    counted: 'select count(*) from merchants',
    offenders: `select m.id as merchant_id, 'live'::mode as mode, m.public_id as offender from merchants m
      join (select distinct on (a.merchant_id) a.merchant_id, a.id, a.after->>'kycStatus' as status from audit a
        where ${ofActions('merchant.create', 'merchant.verify')} and a.after ? 'kycStatus' order by a.merchant_id, a.id desc) said on said.merchant_id = m.id
      where m.kyc_status <> case when said.status = 'rejected' and exists (select from audit a
          where a.merchant_id = m.id and a.action = 'verification.submit' and a.id > said.id) then 'pending' else said.status end`,
  },
  {
    id: 'TE3',
    says: 'whether a subaccount takes part, and the number to withdraw to with its verification, are as somebody last set them',
    counted: 'select (select count(*) from subaccounts) + (select count(*) from withdrawal_numbers)',
    offenders: `select s.merchant_id, 'live'::mode as mode, s.id as offender from subaccounts s
        left join lateral (select a.after->>'status' as status from audit a where (a.merchant_id, a.subject, a.action) = (s.merchant_id, s.id, 'subaccount.set')
          order by a.id desc limit 1) said on true
        where s.status <> coalesce(said.status, case when exists (select from ${BORN} b where b.merchant_id = s.merchant_id) then 'active' else s.status end)
      union all
      select n.merchant_id, 'live', format('the number of merchant %s', n.merchant_id) from withdrawal_numbers n
        join lateral (select a.after from audit a where a.merchant_id = n.merchant_id and ${ofActions('withdrawal.number', 'withdrawal.verify')}
          order by a.id desc limit 1) said on true
        where (said.after->>'phone', (said.after->>'verified')::boolean) is distinct from
          (${maskedPhone('n.phone')}, n.verified_at is not null)`,
  },
]
