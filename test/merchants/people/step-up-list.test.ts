import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Action, ruleOf } from '../../../src/api/access/actions.ts'
import { CONSOLE_ROUTES as CONSOLE } from '../../../src/web/console/routes-list.ts'
import { DASHBOARD_ROUTES as DASHBOARD } from '../../../src/web/dashboard/routes-list.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { mailsTo } from '../../helpers/web/mailed.ts'

const MINUTE = 60_000
const service = openedAndVerified(() => startService())

// What makes value, shows or changes a secret, moves money out or lets somebody in or hear (reliability.md A73).
const ASKS: readonly Action[] = [
  ...(['charge.refund', 'card.issue', 'card.switch', 'payout.create', 'payout.bulk', 'payout.approve'] as const),
  ...(['export', 'audit.export'] as const),
  ...(['checker.set', 'schedule.create', 'schedule.change', 'subaccount.payout'] as const),
  ...(['withdrawal.number', 'withdrawal.request', 'withdrawal.verify', 'withdrawal.decide'] as const),
  ...(['standing-order.set', 'standing-order.decide'] as const),
  ...(['key.create', 'key.reveal', 'key.rotate', 'key.revoke', 'key.restrict'] as const),
  ...(['webhook.address', 'webhook.reveal', 'webhook.rotate', 'vending.secret', 'vending.set'] as const),
  ...([
    'merchant.vending',
    'merchant.handle',
    'notice.set',
    'push.set',
    'month-close.set',
    'till.show',
    'customer.forget',
  ] as const),
  ...(['people.invite', 'people.role', 'people.remove', 'people.limit'] as const),
  ...(['account.password', 'account.email', 'account.factors', 'account.add-business'] as const),
  ...(['operator.invite', 'operator.take-back', 'operator.reset', 'operator.role'] as const),
  ...(['operator.remove', 'operator.sessions', 'verification.read', 'merchant.create'] as const),
  ...(['merchant.verify', 'merchant.set', 'merchant.terms', 'merchant.close', 'payouts.unfreeze'] as const),
  ...(['merchant.reopen'] as const),
  ...(['approval.ask', 'approval.approve', 'installation.switch', 'breach.accept', 'ledger.adjust'] as const),
  ...(['exception.resolve', 'movement.end-as-told', 'movement.end-lost', 'statement.take-back'] as const),
]
// What may be done by whoever sits at an open browser: it is read, asks somebody to pay, ends or takes back something, waits for a
// second person, or is test money.
const NEEDS_NONE: readonly Action[] = [
  ...(['read', 'wallet.look-up', 'view.save', 'view.remove', 'audit.verify'] as const),
  ...(['charge.create', 'link.create', 'link.switch', 'order.create', 'order.invalidate'] as const),
  ...(['order.dispense', 'order.decide', 'item.add', 'item.edit', 'item.remove', 'top-up.request'] as const),
  ...(['subaccount.create', 'subaccount.set', 'dispute.answer', 'dispute.close', 'merchant.jams'] as const),
  ...(['bulk.draft', 'payout.prepare', 'payout.reject', 'payout.withdraw', 'withdrawal.cancel'] as const),
  ...(['standing-order.stop'] as const),
  ...(['customer.set', 'invoice.create', 'invoice.send', 'case.write', 'case.answer', 'case.close'] as const),
  ...([
    'webhook.ping',
    'webhook.resend',
    'webhook.resend-failed',
    'webhook.switch',
    'notice.stop',
    'push.stop',
    'month-close.stop',
  ] as const),
  ...(['machine.add', 'machine.remove', 'machine.sync', 'funds.add'] as const),
  ...(['sandbox.set', 'sandbox.machine', 'sandbox.clock', 'branding.set'] as const),
  ...(['verification.edit', 'verification.submit', 'verification.expiry'] as const),
  ...(['account.step-up', 'account.sessions', 'account.switch', 'account.resend', 'account.name'] as const),
  ...(['people.sessions', 'people.take-back', 'merchant.note', 'merchant.view-as'] as const),
  ...(['merchant.name-check', 'payouts.freeze', 'approval.reject', 'approval.withdraw'] as const),
  ...(['exception.note', 'movement.ask', 'payment.mark', 'rails.check', 'float.record'] as const),
  ...(['reconcile.run', 'statement.import', 'sweep.run', 'alert.confirm', 'alert.close'] as const),
]

test('A73: what makes value, moves money, touches secrets or lets somebody in asks for the factor, and each form is in one of two lists', () => {
  const forms = [...DASHBOARD, ...CONSOLE].flatMap((route) => (route.kind === 'form' ? [route.spec] : []))
  assert.ok(forms.length > 100, `${forms.length} forms`)
  const unlisted = forms.filter(({ action }) => !ASKS.includes(action) && !NEEDS_NONE.includes(action))
  assert.deepEqual(
    unlisted.map(({ path, action }) => `${path}: ${action}`),
    [],
  )
  for (const action of ASKS) assert.equal(ruleOf(action).fresh, true, action)
  for (const action of NEEDS_NONE) assert.equal(ruleOf(action).fresh, undefined, action)
})

test('A73: a stale session issues no gift cards and names nobody who hears of payments', async () => {
  const shop = await service.merchant({ verified: true })
  const stale = await signedInAs(service, shop, { steppedUpMs: 6 * MINUTE })
  const cards = await stale.get('/dashboard/gift-cards/issue')
  const issued = await stale.send(cards, '/gift-cards/issue', { value: '500000', quantity: '3', confirm: '' })
  assert.match(mainOf(issued), /Confirm with this before anything is done/)
  const notices = await stale.get('/dashboard/settings/notifications')
  const named = await stale.send(notices, '/notifications/add', {
    ...{ email: 'thief@evil.invalid', above: '1', confirm: '' },
  })
  assert.match(mainOf(named), /Confirm with this before anything is done/)
  assert.deepEqual(await service.rows('select 1 from gift_cards'), [])
  assert.deepEqual(await service.rows('select 1 from notices'), [])
  assert.deepEqual(await mailsTo(service, 'thief@evil.invalid'), [])
})
