import { APPROVAL, CARD, type Fault, of, PAYOUT, PREPARED, SCHEDULE, SUBACCOUNT } from '../names.ts'
import {
  approvals,
  change,
  each,
  giftCards,
  payouts,
  plant,
  prepared,
  schedules,
  subaccounts,
  withdrawals,
} from '../planting.ts'

const head = (merchant: number, to: string) =>
  `update ledger_heads set ${to} where merchant_id = ${merchant} and mode = 'live'`
const merchant = (id: number, to: string) => `update merchants set ${to} where id = ${id}`
const RULE = 'the rule of the second person of merchant 3'
const publicId = (tag: string) => `mer_${tag}${'0'.repeat(16)}`

export const DECISION_FAULTS: readonly Fault[] = [
  ...plant('DE1', [
    [
      PAYOUT.requested,
      'a withdrawal that no operator has approved',
      `${change(withdrawals(PAYOUT.requested), `state = 'approved', decided_at = '2026-03-10T08:30:00Z'`)};
      ${change(payouts(PAYOUT.requested), `follow_at = '2026-03-10T08:30:00Z'`)}`,
    ],
    [
      PAYOUT.cancelled,
      'a withdrawal rejected that its merchant took back',
      change(withdrawals(PAYOUT.cancelled), `state = 'rejected'`),
    ],
    [
      PREPARED.waiting,
      'a prepared payout that nobody has approved',
      change(
        prepared(PREPARED.waiting),
        `status = 'approved', decided_by = 2, decided_at = '2026-03-10T08:30:00Z'`,
      ),
    ],
    ...each([APPROVAL.waiting, APPROVAL.rejected], (id) => [
      id,
      `${id} that no second operator has approved`,
      change(approvals(id), `status = 'approved', decided_by = 2, decided_at = '2026-03-10T08:00:00Z'`),
    ]),
    [
      PREPARED.rejected,
      'a decision of another moment',
      change(prepared(PREPARED.rejected), `decided_at = decided_at - interval '1 ms'`),
    ],
  ]),
  ...plant('DE2', [
    [
      'merchant 2 live',
      'a freeze lifted past the service',
      head(2, 'payouts_frozen_for = null, payouts_frozen_until = null'),
    ],
    [
      'merchant 2 live',
      'a freeze that ends before its time',
      head(2, `payouts_frozen_until = payouts_frozen_until - interval '1 day'`),
    ],
    ['merchant 1 live', 'a freeze that nobody has ordered', head(1, `payouts_frozen_for = 'because'`)],
    [
      'merchant 3 live',
      'the first freeze of an account, by nobody',
      head(3, `payouts_frozen_for = 'because'`),
    ],
  ]),
  ...plant('DE3', [
    [
      'the freeze of the platform',
      'the platform frozen by nobody',
      `update directory.payout_freeze set frozen = true, reason = 'because'`,
    ],
    [
      'apr_platform',
      'a switch of the platform that no second operator has approved',
      `insert into directory.approvals (id, kind, mode, subject, status, command, digest, reason, asked_by, asked_name, asked_at, expires_at,
        decided_by, decided_name, decided_at, decided_no)
      values ('apr_platform', 'installation', 'live', 'collect', 'approved', '{}', sha256('{}'), 'because', 1, 'first', '2026-03-10T07:00:00Z',
        '2026-03-11T07:00:00Z', 2, 'second', '2026-03-10T08:00:00Z', 1)`,
    ],
  ]),
  ...plant('DE4', [
    [RULE, 'a rule of the second person that is gone', 'delete from checker_rules'],
    [RULE, 'a rule that nobody has weakened', 'update checker_rules set above = 1000000'],
    [
      RULE,
      'a weaker rule that comes sooner',
      `update checker_rules set next_from = next_from - interval '1 hour'`,
    ],
    [RULE, 'a weaker rule than was asked for', 'update checker_rules set next_above = null'],
  ]),
  ...plant('G3', [
    [
      CARD.waiting,
      'a gift card worth more than was issued',
      change(giftCards(CARD.waiting), 'value = value + 1000, balance = balance + 1000'),
    ],
    [
      CARD.spent,
      'a gift card that pays again',
      change(giftCards(CARD.spent), 'value = value + 1000, balance = balance + 1000'),
    ],
    [
      CARD.waiting,
      'a gift card that lasts for longer',
      change(giftCards(CARD.waiting), `expires_at = expires_at + interval '1 year'`),
    ],
    [
      'gc_made',
      'a gift card that nobody has issued',
      `insert into gift_cards (merchant_id, id, code_hash, last4, value, balance, expires_at, created_at)
      select merchant_id, 'gc_made', sha256('x'), last4, value, balance, expires_at, created_at from gift_cards where ${of(CARD.waiting)}`,
    ],
  ]),
  ...plant('TE1', [
    [`chargeLimit of ${publicId('onexx')}`, 'a limit that nobody has set', merchant(1, 'charge_limit = 5')],
    [
      `payoutLimit of ${publicId('three')}`,
      'a limit of payouts that nobody has set',
      merchant(3, 'payout_limit = 5'),
    ],
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
    [
      publicId('onexx'),
      'a verified merchant that is rejected by nobody',
      merchant(1, `kyc_status = 'rejected'`),
    ],
    [
      publicId('twoxx'),
      'a merchant whose verification nobody has taken back',
      merchant(2, `kyc_status = 'pending'`),
    ],
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
    [
      SUBACCOUNT.farm,
      'the phone of a subaccount gone',
      change(subaccounts(SUBACCOUNT.farm), 'payout_phone = null'),
    ],
    [
      'the number of merchant 3',
      'a number that is not verified any more',
      'update withdrawal_numbers set verified_at = null',
    ],
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
