import type { Action } from '../../actors/actions.ts'

/** What operators call the acts of the table of roles. */
export const ACTION_NAMES: Partial<Record<Action, string>> = {
  'console.read': 'See the pages of the console',
  'verification.read': 'See the papers of a business',
  'merchant.create': 'Make a merchant',
  'merchant.verify': 'Approve and reject verifications',
  'merchant.set': 'Activate and deactivate a merchant, set its limits and switches',
  'merchant.vending': 'Switch vending on',
  'merchant.jams': 'Set refunds of jams',
  'withdrawal.verify': 'Verify withdrawal numbers',
  'withdrawal.decide': 'Approve and reject withdrawals',
  'payouts.freeze': 'Freeze payouts',
  'payouts.unfreeze': 'Unfreeze payouts',
  'exception.resolve': 'Resolve exceptions',
  'movement.end-lost': 'End a movement that never arrived',
  'float.record': 'Record money that we moved at the operator',
  'reconcile.run': 'Compare with the operator',
  'statement.import': 'Import statements of the operator',
  'sweep.run': 'Run background tasks',
  'alert.confirm': 'Confirm the test alert',
  'operator.invite': 'Invite operators',
  'operator.take-back': 'Take back invitations',
  'operator.reset': 'Let an operator set up its sign-in again',
  'operator.role': 'Change roles',
  'operator.remove': 'Remove operators',
  'operator.sessions': 'Sign out other operators',
}
