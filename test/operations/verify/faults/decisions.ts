import { APPROVAL, CARD, type Fault, of, PAYOUT, PREPARED } from '../names.ts'
import { approvals, change, each, giftCards, payouts, plant, prepared, withdrawals } from '../planting.ts'

const head = (merchant: number, to: string) =>
  `update ledger_heads set ${to} where merchant_id = ${merchant} and mode = 'live'`
const RULE = 'the rule of the second person of merchant 3'

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
      change(prepared(PREPARED.waiting), `status = 'approved', decided_by = 2, decided_at = '2026-03-10T08:30:00Z'`),
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
    ['merchant 3 live', 'the first freeze of an account, by nobody', head(3, `payouts_frozen_for = 'because'`)],
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
    [RULE, 'a weaker rule that comes sooner', `update checker_rules set next_from = next_from - interval '1 hour'`],
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
]
