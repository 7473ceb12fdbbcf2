import { CARD, type Fault, SCHEDULE, SUBACCOUNT } from '../names.ts'
import { change, each, giftCards, plant, schedules, subaccounts } from '../planting.ts'

const merchant = (id: number, to: string) => `update merchants set ${to} where id = ${id}`
const publicId = (tag: string) => `mer_${tag}${'0'.repeat(16)}`

export const TERM_FAULTS: readonly Fault[] = [
  ...plant('TE1', [
    [`chargeLimit of ${publicId('onexx')}`, 'a limit that nobody has set', merchant(1, 'charge_limit = 5')],
    [
      `rateLimits of ${publicId('three')}`,
      'a rate that nobody has granted',
      merchant(3, `rate_limits = '{"charges": 9}'`),
    ],
    [`payoutLimit of ${publicId('three')}`, 'a limit of payouts that nobody has set', merchant(3, 'payout_limit = 5')],
    [
      `instantSettlement of ${publicId('twoxx')}`,
      'settlement at once taken away by nobody',
      merchant(2, 'instant_settlement = false'),
    ],
    [
      `instantSettlement of ${publicId('onexx')}`,
      'settlement at once that nobody has allowed',
      merchant(1, 'instant_settlement = true'),
    ],
    [
      `webhookUrl of ${publicId('onexx')}`,
      'another address for webhooks',
      merchant(1, `webhook_url = 'https://thief.example.com'`),
    ],
    [
      `autoRefundOnJam of ${publicId('onexx')}`,
      'refunds of jams that nobody has switched on',
      merchant(1, `auto_refund_on_jam = 'both'`),
    ],
    [`active of ${publicId('onexx')}`, 'a merchant switched off by nobody', merchant(1, 'active = false')],
    [
      `vendingEnabled of ${publicId('onexx')}`,
      'vending switched off by nobody',
      merchant(1, 'vending_enabled = false'),
    ],
  ]),
  ...plant('TE2', [
    [publicId('onexx'), 'a verified merchant that is rejected by nobody', merchant(1, `kyc_status = 'rejected'`)],
    [publicId('twoxx'), 'a merchant whose verification nobody has taken back', merchant(2, `kyc_status = 'pending'`)],
  ]),
  ...plant('TE3', [
    [
      SUBACCOUNT.asleep,
      'a subaccount that takes part again',
      change(subaccounts(SUBACCOUNT.asleep), `status = 'active'`),
    ],
    [
      SUBACCOUNT.farm,
      'a subaccount that nobody has switched off',
      change(subaccounts(SUBACCOUNT.farm), `status = 'inactive'`),
    ],
    [
      'the number of merchant 3',
      'another number to withdraw to',
      `update withdrawal_numbers set phone = '256799999999'`,
    ],
    [
      'the number of merchant 3',
      'a number that differs where the audit masks it',
      `update withdrawal_numbers set phone = '256711111009'`,
    ],
    [
      'the number of merchant 1',
      'a first number that nobody has set',
      `insert into withdrawal_numbers (merchant_id, phone, set_at, verified_at)
      values (1, '256799999999', '2026-03-10T08:00:00Z', '2026-03-10T08:00:00Z')`,
    ],
    ['the number of merchant 3', 'a number that is gone', 'delete from withdrawal_numbers'],
    ...each([SUBACCOUNT.farm, SUBACCOUNT.shop], (id) => [
      id,
      `the phone of ${id} replaced by one that the audit would show alike`,
      change(subaccounts(id), `payout_phone = '256711111008'`),
    ]),
    [SUBACCOUNT.farm, 'the phone of a subaccount gone', change(subaccounts(SUBACCOUNT.farm), 'payout_phone = null')],
    [
      'the number of merchant 3',
      'a number that is not verified any more',
      'update withdrawal_numbers set verified_at = null',
    ],
  ]),
  ...plant('CL1', [
    [
      publicId('onexx'),
      'an account that nobody closes',
      merchant(1, `active = false, closing_at = '2026-03-10T08:00:00Z', closing_by = 'owner'`),
    ],
    [
      publicId('onexx'),
      'an account that nobody has closed',
      merchant(1, `active = false, closed_at = '2026-03-10T08:00:00Z'`),
    ],
    [
      publicId('twoxx'),
      'a closed account that nobody has opened again',
      merchant(2, `closed_at = null, closing_at = null, closing_by = null`),
    ],
    [publicId('twoxx'), 'a payment taken while the account closes', merchant(2, `closing_at = '2026-01-05T08:00:00Z'`)],
  ]),
  ...plant('TE4', [
    [
      SCHEDULE.cancelled,
      'a schedule that pays again',
      change(
        schedules(SCHEDULE.cancelled),
        `status = 'active', cancelled_at = null, next_run_at = '2026-03-11T08:00:00Z'`,
      ),
    ],
    [
      CARD.waiting,
      'a gift card that nobody has switched off',
      change(giftCards(CARD.waiting), `deactivated_at = '2026-03-10T08:00:00Z'`),
    ],
    [
      'baseUrl of the machines of merchant 3',
      'another supplier of machines',
      `update vending_suppliers set base_url = 'https://thief.example.com'`,
    ],
    [
      'profile of the machines of merchant 3',
      'machines that are believed no longer',
      `update vending_profiles set profile = 'default' where merchant_id = 3`,
    ],
    [
      'acceptApiSecret of the machines of merchant 3',
      'machines that no longer sign with keys',
      `insert into audit (at, actor_kind, actor, origin, action, merchant_id, after)
      select at, actor_kind, actor, origin, action, merchant_id, '{"acceptApiSecret": false, "changed": ["acceptApiSecret"]}' from audit
      where action = 'vending.set' limit 1`,
    ],
  ]),
]
