import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { ACTIONS, type Action, ruleOf } from './actions.ts'
import { type Actor, type MerchantRole, publicActor, type StaffRole, serviceActor } from './actor.ts'
import { allow } from './allow.ts'

const PLACE = { merchantId: 1, tag: 'aaaaa', cell: 'cell_0', mode: 'live' } as const
const TRACE = { origin: '::1', requestId: null }
const MERCHANT_ROLES: readonly MerchantRole[] = ['owner', 'developer', 'cashier', 'accountant', 'viewer']
const OPERATOR_ROLES: readonly StaffRole[] = ['support', 'risk', 'finance', 'admin']
const MINUTE = 60_000
// What everybody who has signed in does with the own account.
const OWN_ACCOUNT = [
  ...['step-up', 'sessions', 'switch', 'resend', 'name', 'password', 'email', 'factors', 'add-business'],
].map((act) => `account.${act}`)

const key = (scope: 'full' | 'collections'): Actor => ({
  ...{ ...PLACE, ...TRACE, kind: 'key' as const },
  ...{ scope, keyId: 'key_a', keyLast4: 'abcd' },
})
const person = (role: MerchantRole, factorAgeMs: number | null = 0): Actor => ({
  ...{ ...PLACE, ...TRACE, kind: 'person' as const },
  ...{ name: 'p', role, factorAgeMs },
  ...{ personId: 1, sessionId: 'ses_p', confirmed: true, heldUntil: null, refundLimit: null },
})
const operator = (role: StaffRole, factorAgeMs: number | null = 0): Actor => ({
  ...{ ...TRACE, kind: 'operator' as const },
  ...{ name: 'o', role, factorAgeMs, personId: 2, sessionId: 'ses_o' },
})
const command: Actor = { kind: 'command', name: 'c', ...TRACE }
const others = { command, service: serviceActor('s'), public: publicActor('customer', TRACE) }

function refusalOf(actor: Actor, action: Action, of?: number): string | null {
  try {
    allow(actor, action, of)
    return null
  } catch (error) {
    return (error as { code?: string }).code ?? 'not a refusal'
  }
}

const mayDo = (actor: Actor) => (Object.keys(ACTIONS) as Action[]).filter((action) => refusalOf(actor, action) === null)

test('A75: every action is open to exactly the actors that its row names', () => {
  for (const action of Object.keys(ACTIONS) as Action[]) {
    const rule = ruleOf(action)
    const may = (actor: Actor) => refusalOf(actor, action) === null
    equal(may(key('full')), rule.key !== undefined, action)
    equal(may(key('collections')), rule.key === 'any', action)
    for (const role of MERCHANT_ROLES)
      equal(may(person(role)), rule.persons?.includes(role) ?? false, `${action} ${role}`)
    for (const role of OPERATOR_ROLES)
      equal(may(operator(role)), rule.operators?.includes(role) ?? false, `${action} ${role}`)
    for (const [kind, actor] of Object.entries(others))
      equal(may(actor), rule.others?.some((other) => other === kind) ?? false, `${action} ${kind}`)
  }
})

test('no role but the owner moves money out, a viewer only reads, and a customer only pays and reports', () => {
  const moneyOut = mayDo(key('full')).filter((action) => !mayDo(key('collections')).includes(action))
  deepEqual(moneyOut, [
    ...['payouts.read', 'wallet.look-up', 'charge.refund', 'payout.create', 'payout.bulk'],
    ...['schedule.create', 'schedule.change'],
    ...['webhook.address', 'webhook.rotate', 'webhook.switch', 'webhook.ping', 'vending.secret'],
    ...['funds.add', 'sandbox.clock', 'sandbox.next', 'sandbox.account'],
  ])
  for (const role of ['developer', 'accountant', 'viewer'] as const)
    for (const action of ['charge.refund', 'payout.create', 'payout.bulk', 'schedule.create'] as const)
      equal(refusalOf(person(role), action), 'forbidden', `${role} ${action}`)
  deepEqual(mayDo(person('viewer')), [
    ...['read', 'shop.read', 'payouts.read', 'case.write', 'view.save', 'view.remove'],
    ...OWN_ACCOUNT,
    ...['push.set', 'push.stop'],
  ])
  deepEqual(mayDo(others.public), [
    ...['invoice.answer', 'link.pay', 'charge.watch', 'callback.receive', 'dispute.open'],
    ...['account.create', 'account.sign-in', 'account.confirm', 'account.reset', 'account.stop'],
    ...['people.join', 'till.enter', 'operator.enrol', 'notice.answer'],
  ])
})

test('A73: an action that moves money out or touches secrets needs a second factor from the last five minutes', () => {
  for (const action of ['payout.create', 'charge.refund', 'key.rotate', 'webhook.address'] as const) {
    equal(refusalOf(person('owner', 5 * MINUTE), action), null, action)
    equal(refusalOf(person('owner', 5 * MINUTE + 1), action), 'step_up_required', action)
    equal(refusalOf(person('owner', null), action), 'step_up_required', action)
  }
  equal(refusalOf(operator('admin', null), 'merchant.set'), 'step_up_required')
  equal(refusalOf(operator('admin', null), 'payouts.freeze'), null, 'a freeze cannot wait')
  equal(refusalOf(person('viewer', null), 'payout.create'), 'forbidden', 'no role is told to step up in vain')
})

test('a merchant acts only on itself, and a refusal says why', () => {
  equal(refusalOf(person('owner'), 'key.rotate', 1), null)
  throws(() => allow(person('owner'), 'key.rotate', 2), /a merchant acts on itself alone/)
  equal(refusalOf(command, 'key.rotate', 2), null)
  throws(() => allow(key('collections'), 'payout.create'), {
    status: 403,
    message: 'this endpoint requires a full secret key; collections-only keys cannot move money out',
  })
  throws(() => allow(key('full'), 'key.rotate'), { status: 403, message: 'no API key may do this' })
  throws(() => allow(person('viewer'), 'charge.create'), {
    status: 403,
    message: 'your role (viewer) may not do this',
  })
})

test('A74: while an account is held its live money out waits, and test mode goes on', () => {
  const heldUntil = new Date('2026-11-22T11:05:00Z')
  const held = { ...person('owner'), heldUntil } as Actor
  const inTest = { ...held, mode: 'test' } as Actor
  for (const action of [
    ...(['payout.create', 'payout.bulk', 'schedule.create', 'schedule.change', 'charge.refund'] as const),
    ...(['subaccount.payout', 'withdrawal.number', 'withdrawal.request'] as const),
    ...(['key.full', 'people.owner'] as const),
  ]) {
    equal(refusalOf(held, action), 'money_out_held', action)
    equal(refusalOf(inTest, action), null, action)
  }
  equal(refusalOf(held, 'key.rotate'), null)
  throws(() => allow(held, 'payout.create'), /waits until 22 Nov 2026, 14:05 because/)
})

test('a person whose e-mail address is not proven moves no real money, and does everything in test mode', () => {
  const unconfirmed = { ...person('owner'), confirmed: false } as Actor
  const mine = mayDo(person('owner'))
  for (const action of mine)
    equal(refusalOf(unconfirmed, action), ruleOf(action).unconfirmed ? null : 'email_unconfirmed', action)
  for (const action of ['charge.create', 'link.create', 'key.create', 'webhook.address', 'top-up.request'] as const)
    equal(ruleOf(action).unconfirmed, undefined, action)
  deepEqual(
    mine.filter((action) => ruleOf(action).moneyOut && ruleOf(action).unconfirmed),
    [],
  )
  deepEqual(mayDo({ ...unconfirmed, mode: 'test' } as Actor), mine)
})

test('no operator sees a secret or moves money of a merchant, and who works on the console is decided by admins', () => {
  const theirs = /^(?:key|webhook|payout|bulk|charge|link|card|schedule|vending|till|people|funds|sandbox)\./
  for (const role of OPERATOR_ROLES) {
    deepEqual(
      mayDo(operator(role)).filter((action) => theirs.test(action)),
      [],
      role,
    )
    const decides = mayDo(operator(role)).filter((action) => action.startsWith('operator.'))
    deepEqual(
      decides,
      role === 'admin'
        ? ['invite', 'take-back', 'reset', 'role', 'remove', 'sessions'].map((act) => `operator.${act}`)
        : [],
    )
    equal(refusalOf(operator(role), 'account.email'), 'forbidden', 'the audit names operators by it')
  }
  for (const action of ['operator.role', 'operator.remove', 'operator.sessions', 'operator.reset'] as const)
    equal(refusalOf(operator('admin', 5 * MINUTE + 1), action), 'step_up_required', action)
})
