import { shortDigestSql } from '../../../../platform/text/short-digest.ts'
import {
  CREATED_WITH_FACTS,
  hasAction,
  isUnmasked,
  MERCHANTS_WITH_FACTS,
  maskedPhoneSql,
  newestBySubject,
} from '../audit-sql.ts'
import type { Invariant } from '../invariant.ts'

// The facts that staff, an owner or a command set on a merchant: the column, its name in the audit, the action that sets it, and its
// first value where the row of creation does not have it.
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
const CURRENT_VALUES = SWITCHES.map(([column, name]) => `('${name}', m.${column}::text)`).join(', ')
const FIRST_VALUES = SWITCHES.flatMap(([, name, , value]) => (value === null ? [] : [`('${name}', ${value})`])).join(
  ', ',
)
const AUDITED_VALUES = `select distinct on (a.merchant_id, s.name) a.merchant_id, s.name, s.value from audit a
    cross join lateral (select * from jsonb_each_text(a.after) union all
      select * from (values ${FIRST_VALUES}) b where a.action = 'merchant.create' and a.after ? 'kycStatus') s (name, value)
  where ${hasAction('merchant.create', 'upgrade.record', 'merchant.close', 'merchant.reopen', ...new Set(SWITCHES.map(([, , action]) => action)))} order by a.merchant_id, s.name, a.id desc`

// The phone of a subaccount is masked in the audit; another number with as many digits may look the same, so digests are compared.
const phoneDigest = (phone: string) => `encode(${shortDigestSql(phone)}, 'hex')`
const AUDITED_PHONES = `select a.id as nth, a.subject as id, a.after->>'digest' as digest from audit a where ${hasAction('subaccount.create')}
  union all select a.id, e.key, e.value from audit a cross join lateral jsonb_each_text(a.after) e
    where ${hasAction('upgrade.record')} and a.subject = 'subaccounts'`
const AUDITED_NUMBERS = `select distinct on (a.merchant_id) a.* from audit a
  where ${hasAction('withdrawal.number', 'withdrawal.verify')} or ${hasAction('upgrade.record')} and a.subject = 'withdrawal number'
  order by a.merchant_id, a.id desc`
// A row about the supplier has only the part that the act has changed.
const AUDITED_SUPPLIERS = `select distinct on (a.merchant_id, s.name) a.merchant_id, s.name, s.value from audit a
    cross join lateral jsonb_each_text(a.after) s (name, value)
  where ${hasAction('vending.set')} and s.name <> 'changed'
    and a.after->'changed' ? case when s.name in ('baseUrl', 'shbh') then 'supplier' else s.name end
  order by a.merchant_id, s.name, a.id desc`

/** The terms of merchants: each is what the newest row of the audit says that somebody made it. */
export const TERM_INVARIANTS: readonly Invariant[] = [
  {
    id: 'TE1',
    says: "a merchant's limits and rates, settlement, address for webhooks, refunds of jams, and whether it is active are as somebody last set them",
    counted: 'select count(*) from merchants',
    offenders: `select m.id as merchant_id, 'live'::mode as mode, format('%s of %s', s.name, m.public_id) as offender from merchants m
      cross join lateral (values ${CURRENT_VALUES}) s (name, value)
      join (${AUDITED_VALUES}) said on said.merchant_id = m.id and said.name = s.name
      where said.value is distinct from s.value and ${isUnmasked('said.value')}`,
  },
  {
    id: 'TE2',
    says: 'a merchant is verified, rejected or pending because somebody decided that, or because it has answered a rejection since',
    counted: 'select count(*) from merchants',
    offenders: `select m.id as merchant_id, 'live'::mode as mode, m.public_id as offender from merchants m
      join (select distinct on (a.merchant_id) a.merchant_id, a.id, a.after->>'kycStatus' as status from audit a
        where ${hasAction('merchant.create', 'merchant.verify', 'upgrade.record')} and a.after ? 'kycStatus' order by a.merchant_id, a.id desc) said on said.merchant_id = m.id
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
        where s.status <> coalesce(said.status, case when exists (select from ${CREATED_WITH_FACTS} b where b.merchant_id = s.merchant_id) then 'active' else s.status end)
      union all
      select s.merchant_id, 'live', s.id from subaccounts s
        join (select distinct on (id) id, digest from (${AUDITED_PHONES}) p order by id, nth desc) said on said.id = s.id
        where said.digest is distinct from ${phoneDigest('s.payout_phone')}
      union all
      select coalesce(n.merchant_id, said.merchant_id), 'live', format('the number of merchant %s', coalesce(n.merchant_id, said.merchant_id))
        from withdrawal_numbers n full join (${AUDITED_NUMBERS}) said on said.merchant_id = n.merchant_id
        where n.merchant_id is null
          or said.id is null and n.merchant_id in (select merchant_id from ${MERCHANTS_WITH_FACTS} k)
          or said.id is not null and ((said.after->>'phone', (said.after->>'verified')::boolean) is distinct from
              (${maskedPhoneSql('n.phone')}, n.verified_at is not null)
            or said.after->>'digest' <> ${phoneDigest('n.phone')})`,
  },
  {
    id: 'TE4',
    says: 'a schedule that was paused, a card that was switched off and the supplier of machines are as somebody last set them',
    counted:
      'select (select count(*) from schedules) + (select count(*) from gift_cards) + (select count(*) from vending_profiles)',
    // The service pauses schedules too, which no row tells: a person's pause is what must not end by itself.
    offenders: `select s.merchant_id, s.mode, s.id as offender from schedules s
        join (${newestBySubject('schedule.change')}) said on (said.merchant_id, said.subject) = (s.merchant_id, s.id)
        where (s.status = 'active' and said.after->>'status' <> 'active') or (s.status = 'cancelled' and said.after->>'status' <> 'cancelled')
      union all
      select g.merchant_id, 'live', g.id from gift_cards g
        join (${newestBySubject('card.switch')}) said on (said.merchant_id, said.subject) = (g.merchant_id, g.id)
        where (said.after->>'active')::boolean <> (g.deactivated_at is null)
      union all
      select said.merchant_id, 'live', format('%s of the machines of merchant %s', said.name, said.merchant_id)
        from (${AUDITED_SUPPLIERS}) said
        left join vending_suppliers v on v.merchant_id = said.merchant_id left join vending_profiles p on p.merchant_id = said.merchant_id
        where ${isUnmasked('said.value')} and said.value is distinct from case said.name when 'baseUrl' then v.base_url when 'shbh' then v.shbh
          when 'profile' then coalesce(p.profile, 'default') else coalesce(p.accept_api_secret, true)::text end`,
  },
]

const ACCOUNT_STATE_SQL = `case when m.closed_at is not null then 'closed' when m.closing_at is not null then 'closing' else 'open' end`
// A charge that was accepted before the account began to close may be dated by another machine.
const SLACK = `interval '5 minutes'`
// Uses the indexes of charges, which separate finished charges from open ones.
const CHARGED_SINCE = `c.merchant_id = m.id and c.mode = 'live' and c.created_at > m.closing_at + ${SLACK}`
const TOOK_MONEY = `exists (select from charges c where ${CHARGED_SINCE} and c.status in ('succeeded', 'failed', 'refunded') and c.published and c.completed_at is not null)
  or exists (select from charges c where ${CHARGED_SINCE} and c.follow_at is not null)
  or exists (select from top_ups t where t.merchant_id = m.id and t.created_at > m.closing_at + ${SLACK} and t.published)`

export const CLOSING_INVARIANTS: readonly Invariant[] = [
  {
    id: 'CL1',
    says: 'an account closes, is closed or is open because somebody said so, and takes no real money from then on',
    counted: 'select count(*) from merchants',
    // A release before this one closed what was never used, and said no state.
    offenders: `select m.id as merchant_id, 'live'::mode as mode, m.public_id as offender from merchants m
      left join (select distinct on (a.merchant_id) a.merchant_id, coalesce(a.after->>'account', 'closed') as account from audit a
        where ${hasAction('merchant.close', 'merchant.reopen')} order by a.merchant_id, a.id desc) said on said.merchant_id = m.id
      where ${ACCOUNT_STATE_SQL} <> coalesce(said.account, case when m.id in (select merchant_id from ${MERCHANTS_WITH_FACTS} k) then 'open' else ${ACCOUNT_STATE_SQL} end)
      union all
      select m.id, 'live', m.public_id from merchants m where m.closing_at is not null and (${TOOK_MONEY})`,
  },
]

/** Verifications compared with their applications. */
export const VERIFICATION_INVARIANTS: readonly Invariant[] = [
  {
    id: 'KY1',
    says: 'the newest application of a merchant says of its verification what the merchant itself says',
    counted: 'select count(*) from verifications',
    // A merchant without an application was verified by command before there were any, or when it was made.
    offenders: `select m.id as merchant_id, 'live' as mode, m.public_id as offender from merchants m
      cross join lateral (select v.state from verifications v where v.merchant_id = m.id order by v.number desc limit 1) a
      where not case a.state when 'approved' then m.kyc_status = 'verified' when 'rejected' then m.kyc_status = 'rejected'
        when 'submitted' then m.kyc_status = 'pending' else m.kyc_status <> 'verified' end`,
  },
]
