import type { MerchantRole, StaffRole } from './actor.ts'

type UnsignedKind = 'command' | 'service' | 'public'

/** Who may do an action, whether it needs a second factor given within five minutes (`fresh`), and whether it is audited. */
export type ActionRule = {
  /** `any`: collections keys too. Absent: no key may. */
  key?: 'any' | 'full'
  persons?: readonly MerchantRole[]
  operators?: readonly StaffRole[]
  others?: readonly UnsignedKind[]
  fresh?: true
  audited?: true
  /** Changes nothing: it only reads. Lists of the audit show these rows apart, so that they do not hide the acts. */
  readOnly?: true
  /** Money leaves: in live mode it waits while the person's account is held (reliability.md A74). */
  moneyOut?: true
  /** Open to a till too: a device at the counter without a login. It may do only what a cashier does at the counter. */
  tills?: true
  /** Open in live mode to a person whose e-mail address is not proven yet. */
  unconfirmed?: true
}

export const EVERY_ROLE: readonly MerchantRole[] = ['owner', 'developer', 'cashier', 'accountant', 'viewer']
const NOT_CASHIERS = ['owner', 'developer', 'accountant', 'viewer'] as const
const STAFF: readonly StaffRole[] = ['support', 'risk', 'finance', 'admin']
const OWNER = ['owner'] as const
const OWNER_OR_DEVELOPER = ['owner', 'developer'] as const
const OWNER_OR_ACCOUNTANT = ['owner', 'accountant'] as const
const OWNER_OR_CASHIER = ['owner', 'cashier'] as const
const OWNER_DEVELOPER_OR_CASHIER = ['owner', 'developer', 'cashier'] as const
// Staff who ask for, and decide on, what needs two persons; each kind of approval names its own roles besides.
const APPROVAL_STAFF = ['risk', 'finance', 'admin'] as const
const COMMAND = ['command'] as const
const AUDITED = { others: COMMAND, audited: true } as const
const AS_DEVELOPER = { ...AUDITED, persons: OWNER_OR_DEVELOPER } as const
const BY_KEY = { key: 'full', audited: true } as const
const BY_KEY_TOO = { ...AS_DEVELOPER, key: 'full' } as const
const STEP_UP = { fresh: true, audited: true } as const
const AT_HAND = { persons: EVERY_ROLE, unconfirmed: true, tills: true } as const
const BY_ANYBODY = { persons: EVERY_ROLE, unconfirmed: true } as const
const SIGNED_IN = { persons: EVERY_ROLE, operators: STAFF, unconfirmed: true } as const
const OWN_ACCOUNT = { ...STEP_UP, ...SIGNED_IN } as const
// Admins decide who works on the console.
const ADMINS = { ...STEP_UP, operators: ['admin'] } as const
const BY_STAFF = { audited: true, operators: STAFF } as const
const MONEY_OUT = { ...STEP_UP, moneyOut: true } as const

/** The one table of who may do what. Operations ask it with `allow`. */
export const ACTIONS = {
  // What a counter needs: charges, links, orders, disputes.
  read: { key: 'any', persons: EVERY_ROLE, unconfirmed: true, tills: true },
  // Everything else that any person may see: balances, people, settings.
  'shop.read': BY_ANYBODY,
  // What staff may read; people and their papers have actions of their own.
  'console.read': { operators: STAFF },
  'audit.read': { persons: ['owner', 'developer', 'accountant'], unconfirmed: true },
  'payouts.read': { key: 'full', persons: NOT_CASHIERS, unconfirmed: true },
  // The file holds the phone numbers of all customers.
  export: { ...STEP_UP, readOnly: true, persons: OWNER_OR_ACCOUNTANT, unconfirmed: true },
  // Returns whose wallet a number is: asked for many numbers it would copy the operator's customer list.
  'wallet.look-up': { key: 'full', audited: true, readOnly: true, persons: OWNER_OR_ACCOUNTANT },
  'charge.create': { key: 'any', persons: OWNER_DEVELOPER_OR_CASHIER, tills: true },
  'charge.refund': { ...MONEY_OUT, key: 'full', persons: OWNER_OR_CASHIER, others: ['command', 'service'] },
  'link.create': { key: 'any', persons: OWNER_DEVELOPER_OR_CASHIER, tills: true },
  'link.switch': { ...AUDITED, persons: OWNER_OR_CASHIER, tills: true },
  'invoice.create': { persons: OWNER_DEVELOPER_OR_CASHIER, tills: true },
  'invoice.send': { audited: true, persons: OWNER_DEVELOPER_OR_CASHIER, tills: true },
  // What a customer does with an invoice: opens it, or wants no more mails.
  'invoice.answer': { others: ['public'] },
  'link.pay': { others: ['public'] },
  'charge.watch': { others: ['public'] },
  'order.create': { key: 'any', persons: OWNER_DEVELOPER_OR_CASHIER, tills: true },
  'order.invalidate': { key: 'any', persons: OWNER_DEVELOPER_OR_CASHIER, tills: true },
  'order.dispense': { key: 'any', persons: OWNER_DEVELOPER_OR_CASHIER, tills: true },
  'order.decide': { ...AUDITED, persons: OWNER_OR_CASHIER, tills: true },
  'callback.receive': { others: ['public'] },
  'dispute.open': { others: ['public'] },
  'dispute.answer': { ...AUDITED, persons: OWNER_OR_CASHIER, tills: true },
  'dispute.close': { ...AUDITED, persons: OWNER_OR_CASHIER, tills: true },
  'case.write': { audited: true, persons: EVERY_ROLE, unconfirmed: true, tills: true },
  'item.add': { ...AUDITED, persons: OWNER_OR_CASHIER },
  'item.edit': { ...AUDITED, persons: OWNER_OR_CASHIER },
  'item.remove': { ...AUDITED, persons: OWNER_OR_CASHIER },
  'customer.set': { ...AUDITED, persons: OWNER_OR_CASHIER },
  'customer.forget': { ...STEP_UP, persons: OWNER },
  'card.issue': { ...STEP_UP, persons: OWNER, others: COMMAND }, // Whoever knows a card's code can spend it.
  'card.switch': { ...STEP_UP, persons: OWNER, others: COMMAND },
  // Money is sent to its phone.
  'subaccount.create': { key: 'any', persons: OWNER_OR_DEVELOPER, audited: true },
  'subaccount.set': { ...AUDITED, persons: OWNER },

  'payout.create': { ...MONEY_OUT, key: 'full', persons: OWNER },
  'payout.bulk': { ...MONEY_OUT, key: 'full', persons: OWNER },
  'payout.prepare': { audited: true, persons: OWNER_OR_ACCOUNTANT },
  'bulk.draft': { persons: OWNER_OR_ACCOUNTANT },
  'payout.approve': { ...MONEY_OUT, persons: OWNER },
  'payout.reject': { audited: true, persons: OWNER },
  'payout.withdraw': { audited: true, persons: OWNER_OR_ACCOUNTANT, others: ['service'] },
  'checker.set': { ...MONEY_OUT, persons: OWNER, others: ['service'] },
  'schedule.create': { ...MONEY_OUT, key: 'full', persons: OWNER },
  'schedule.change': { ...MONEY_OUT, key: 'full', persons: OWNER },
  'subaccount.payout': { ...MONEY_OUT, persons: OWNER, others: ['command', 'service'] },
  'top-up.request': { ...AUDITED, persons: OWNER },
  'withdrawal.number': { ...MONEY_OUT, persons: OWNER, others: COMMAND },
  'withdrawal.verify': { ...STEP_UP, operators: ['finance', 'admin'], others: COMMAND },
  'withdrawal.request': { ...MONEY_OUT, persons: OWNER, others: ['command', 'service'] },
  'withdrawal.cancel': { ...AUDITED, persons: OWNER },
  'withdrawal.decide': { ...STEP_UP, operators: ['finance', 'admin'], others: COMMAND },
  // To make one or to change it. To stop it needs no factor: money stays where it is.
  'standing-order.set': { ...MONEY_OUT, persons: OWNER },
  'standing-order.stop': { audited: true, persons: OWNER, operators: ['finance', 'admin'] },
  'standing-order.decide': { ...STEP_UP, operators: ['finance', 'admin'] },
  // Approves its own withdrawal within the limit that staff have approved.
  'standing-order.run': { others: ['service'], audited: true },

  'key.create': { ...STEP_UP, persons: OWNER_OR_DEVELOPER, others: COMMAND },
  'key.reveal': { ...STEP_UP, persons: OWNER_OR_DEVELOPER },
  'key.rotate': { ...STEP_UP, persons: OWNER_OR_DEVELOPER, others: COMMAND },
  // Needed besides for a full key of live mode, which can send money.
  'key.full': { fresh: true, moneyOut: true, persons: OWNER, others: COMMAND },
  'key.revoke': { ...STEP_UP, persons: OWNER_OR_DEVELOPER, others: COMMAND },
  'key.restrict': { ...STEP_UP, persons: OWNER, others: COMMAND },
  'webhook.address': { ...STEP_UP, key: 'full', persons: OWNER_OR_DEVELOPER, others: COMMAND },
  'webhook.reveal': { ...STEP_UP, persons: OWNER_OR_DEVELOPER },
  'webhook.rotate': { ...STEP_UP, key: 'full', persons: OWNER_OR_DEVELOPER, others: COMMAND },
  // Stopping loses nothing, and going on must not wait for a second factor.
  'webhook.switch': { ...BY_KEY_TOO, others: ['command', 'service'] },
  'webhook.ping': BY_KEY_TOO,
  'webhook.resend': { key: 'any', persons: OWNER_OR_DEVELOPER },
  'webhook.resend-failed': { ...AUDITED, persons: OWNER_OR_DEVELOPER },
  'vending.secret': { ...STEP_UP, key: 'full', persons: OWNER_OR_DEVELOPER },
  'vending.check': { key: 'any', persons: OWNER_OR_DEVELOPER },
  'vending.set': { ...STEP_UP, persons: OWNER_OR_DEVELOPER, others: COMMAND },
  ...{ 'machine.add': AS_DEVELOPER, 'machine.remove': AS_DEVELOPER, 'machine.sync': AS_DEVELOPER },
  ...{ 'sandbox.set': AS_DEVELOPER, 'sandbox.machine': AS_DEVELOPER },
  // Endpoints for tests: they refuse live keys.
  ...{ 'funds.add': BY_KEY_TOO, 'sandbox.clock': BY_KEY_TOO, 'sandbox.next': BY_KEY, 'sandbox.account': BY_KEY },

  ...{ 'view.save': AT_HAND, 'view.remove': AT_HAND },

  'account.create': { others: ['public', 'service', 'command'], audited: true },
  'account.sign-in': { others: ['public'], audited: true },
  'account.confirm': { others: ['public'], audited: true },
  'account.reset': { others: ['public'], audited: true },
  'account.stop': { others: ['public'], audited: true },
  'account.step-up': SIGNED_IN,
  'account.sessions': { ...SIGNED_IN, audited: true },
  ...{ 'account.switch': BY_ANYBODY, 'account.resend': BY_ANYBODY },
  'account.name': { ...SIGNED_IN, audited: true },
  'account.password': OWN_ACCOUNT,
  // Not for staff: the audit names them by their address, so another address would be another person.
  'account.email': { ...STEP_UP, persons: EVERY_ROLE, unconfirmed: true },
  'account.factors': OWN_ACCOUNT,
  'account.add-business': { ...STEP_UP, persons: EVERY_ROLE },
  'people.invite': { ...STEP_UP, persons: OWNER, others: COMMAND, unconfirmed: true },
  'people.join': { others: ['public'], audited: true },
  'people.role': { ...STEP_UP, persons: OWNER, unconfirmed: true },
  // Another owner may send money, so a person whose money out is held may not make one, in test mode neither.
  'people.owner': { fresh: true, moneyOut: true, persons: OWNER, others: COMMAND },
  'people.remove': { ...STEP_UP, persons: OWNER, unconfirmed: true },
  // Taking something back or ending a session must not wait for a second factor.
  'people.sessions': { persons: OWNER, audited: true, unconfirmed: true },
  'people.take-back': { persons: OWNER, audited: true, unconfirmed: true },
  'people.limit': { ...STEP_UP, persons: OWNER, unconfirmed: true },
  'till.show': { ...STEP_UP, persons: OWNER, unconfirmed: true },
  'till.enter': { others: ['public'], audited: true },

  'operator.invite': { ...ADMINS, others: COMMAND },
  ...{ 'operator.take-back': ADMINS, 'operator.reset': { ...ADMINS, others: COMMAND } },
  'operator.enrol': { others: ['public'], audited: true },
  ...{ 'operator.role': ADMINS, 'operator.remove': ADMINS, 'operator.sessions': ADMINS },

  'verification.edit': { audited: true, persons: OWNER, unconfirmed: true },
  'verification.submit': { audited: true, persons: OWNER },
  'merchant.handle': { ...STEP_UP, persons: OWNER },
  'branding.set': { audited: true, persons: OWNER, unconfirmed: true },
  'verification.read': { ...STEP_UP, readOnly: true, operators: ['risk', 'admin'], others: COMMAND },

  'merchant.create': { ...STEP_UP, operators: ['admin'], others: ['command', 'service'] },
  'merchant.verify': { ...STEP_UP, operators: ['risk', 'admin'], others: COMMAND },
  'merchant.set': { ...STEP_UP, operators: ['risk', 'admin'], others: COMMAND },
  // Limits and instant settlement decide about money, so an alert reports each change.
  'merchant.terms': { ...STEP_UP, operators: ['risk', 'admin'], others: COMMAND },
  // Loses nothing, and what is owed goes to the verified number alone; it still waits while the person's money out is held.
  'merchant.close': { ...MONEY_OUT, persons: OWNER, operators: ['admin'], others: ['command', 'service'] },
  'merchant.reopen': { ...STEP_UP, operators: ['risk', 'admin'] },
  ...{ 'merchant.note': BY_STAFF, 'case.answer': BY_STAFF, 'case.close': BY_STAFF },
  'merchant.view-as': { audited: true, readOnly: true, operators: STAFF },
  'merchant.name-check': { audited: true, operators: ['risk', 'finance', 'admin'] },
  'verification.expiry': { audited: true, operators: ['risk', 'admin'] },
  // The address named here gets a notice of every payment, without a login that could be ended.
  ...{ 'notice.set': { ...STEP_UP, persons: OWNER, others: COMMAND }, 'notice.stop': { ...AUDITED, persons: OWNER } },
  ...{ 'push.set': { ...STEP_UP, persons: EVERY_ROLE, tills: true }, 'push.stop': { ...AT_HAND, audited: true } },
  // The mail holds what a download holds, month by month; who may not download gets none.
  'month-close.set': { ...STEP_UP, persons: OWNER_OR_ACCOUNTANT },
  'month-close.stop': { audited: true, persons: OWNER_OR_ACCOUNTANT, unconfirmed: true },
  'month-close.send': { others: ['service'], audited: true },
  'notice.answer': { others: ['public'], audited: true },
  'merchant.vending': { ...STEP_UP, persons: OWNER, operators: ['risk', 'admin'], others: COMMAND },
  'merchant.jams': { ...AUDITED, persons: OWNER, operators: ['support', 'admin'] },
  'payouts.freeze': { ...AUDITED, operators: STAFF },
  'payouts.freeze-ends': { others: ['service'], audited: true },
  'month.reopen': { others: ['service'], audited: true },
  'payouts.unfreeze': { ...STEP_UP, operators: ['risk', 'admin'], others: COMMAND },
  // A command may ask only for the kinds that name commands themselves, and never approves.
  'approval.ask': { ...STEP_UP, operators: APPROVAL_STAFF, others: COMMAND },
  'approval.approve': { ...STEP_UP, operators: APPROVAL_STAFF },
  // Withdrawing and rejecting must not wait for a second factor.
  'approval.reject': { audited: true, operators: APPROVAL_STAFF },
  'approval.withdraw': { audited: true, operators: APPROVAL_STAFF, others: ['service'] },
  'installation.switch': { ...STEP_UP, operators: ['finance', 'admin'] },
  'breach.accept': { ...STEP_UP, operators: ['finance', 'admin'], others: COMMAND },
  'ledger.adjust': { ...STEP_UP, operators: ['finance', 'admin'] },
  'exception.note': { ...AUDITED, operators: STAFF },
  'exception.resolve': { ...STEP_UP, operators: ['finance', 'admin'], others: COMMAND },
  'movement.ask': { ...AUDITED, operators: STAFF },
  'payment.mark': { ...AUDITED, operators: STAFF },
  'movement.end-as-told': { ...STEP_UP, operators: ['finance', 'admin'], others: COMMAND },
  'movement.end-lost': { ...STEP_UP, operators: ['finance', 'admin'], others: COMMAND },
  'rails.check': { ...AUDITED, operators: STAFF },
  'float.record': { ...AUDITED, operators: ['finance', 'admin'], others: ['command', 'service'] },
  'reconcile.run': { ...AUDITED, operators: ['finance', 'admin'] },
  'statement.take-back': { ...STEP_UP, operators: ['finance', 'admin'], others: COMMAND },
  'statement.import': { ...AUDITED, operators: ['finance', 'admin'] },
  ...{ 'backup.record': AUDITED, 'secrets.rewrap': AUDITED, 'cell.add': AUDITED, 'cell.move': AUDITED },
  'sweep.run': { ...AUDITED, operators: ['admin'] },
  'audit.verify': { ...AUDITED, readOnly: true, operators: STAFF },
  'audit.export': { ...STEP_UP, readOnly: true, operators: ['risk', 'admin'] },
  ...{ 'alert.confirm': { ...AUDITED, operators: STAFF }, 'alert.close': BY_STAFF },
  'ledger.settle': { others: ['command', 'service'] },
} as const satisfies Record<string, ActionRule>

export type Action = keyof typeof ACTIONS

/** The actions whose commit also writes a row of the audit. */
export type AuditedAction = {
  [Name in Action]: (typeof ACTIONS)[Name] extends { audited: true } ? Name : never
}[Action]

/** The rule of an action, typed as the general rule. */
export const ruleOf = (action: Action): ActionRule => ACTIONS[action]

/** The actions that only read. */
export const READ_ONLY_ACTIONS: readonly string[] = Object.entries<ActionRule>(ACTIONS).flatMap(
  ([action, { readOnly }]) => (readOnly === true ? [action] : []),
)

/** Whether collections keys are refused. */
export const needsFullKey = (action: Action): boolean => ruleOf(action).key === 'full'
