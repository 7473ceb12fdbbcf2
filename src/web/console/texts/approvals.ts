import type { ApprovalKind, ApprovalStatus } from '../../../operations/approvals/approval.ts'
import { formatShillings } from '../../parts/wording.ts'

/** The texts of the pages of approvals. */
export const APPROVALS = {
  title: 'Approvals',
  lead: 'What takes two operators: one asks, another one approves. The approval does exactly what was asked for, at once.',
  lists: { 'for-me': 'Waiting for me', 'by-me': 'Asked by me', decided: 'Decided' },
  empty: {
    'for-me': 'Nobody waits for you',
    'by-me': 'Nothing of yours waits',
    decided: 'Nothing was decided yet',
  },
  emptySays:
    'Corrections are asked for on the page of an exception, the end of a freeze on the page Freeze, the end of an import on the page of the statement.',
  columns: { what: 'What', about: 'About', by: 'Asked by', at: 'Asked', status: 'State', until: 'Until' },
  kinds: {
    adjustment: 'Correction of a balance',
    'end-as-told': 'End as the operator reports it',
    'unfreeze-merchant': 'Unfreeze a merchant',
    'unfreeze-platform': 'Unfreeze the platform',
    installation: 'Switch to another contract',
    'take-back-statement': 'Take back an imported statement',
    'reopen-account': 'Open a closed account again',
    'accept-breach': 'Accept a breach of the books',
  } as const satisfies Record<ApprovalKind, string>,
  statuses: {
    waiting: 'waiting',
    approved: 'approved',
    rejected: 'rejected',
    withdrawn: 'withdrawn',
    expired: 'expired',
  } as const satisfies Record<ApprovalStatus, string>,
  words: {
    correction: (direction: 'in' | 'out', amount: number) =>
      direction === 'in'
        ? `${formatShillings(amount)} is added to what the merchant has available.`
        : `${formatShillings(amount)} is taken from what the merchant has available.`,
    asTold: (about: string, moved: number) =>
      `${about} ends as succeeded: its operator says that it moved ${formatShillings(moved)}. The exception is resolved with it.`,
    noDifference: 'That is our amount: nothing is corrected.',
    against: {
      rail: 'It is booked against the money at the operator: the operator really moved it.',
      fees: 'It is booked against our fees.',
      adjustments: 'It is booked as a loss or gain of ours.',
    },
    told: (text: string) => `The merchant reads: ${text}`,
    resolve: 'The exception is resolved with it. Payouts run again when it was the last critical one.',
    open: 'The exception stays open.',
    reopen: (whose: string) =>
      `The closed account of ${whose} is open again and takes money. Its keys and sessions stay ended, its schedules paused.`,
    unfreeze: (whose: string, reason: string) => `Live payouts of ${whose} run again. They were frozen for: ${reason}`,
    switch: (side: string, to: string, from: string | null) =>
      `New payments of ${side} go through the contract ${to}${from === null ? '' : ` instead of ${from}`}. What is under way stays where it is.`,
    takeBack: (name: string) =>
      `What the import of ${name} has brought is taken back: its lines, the time that it covers, and the exceptions that stand on it alone; payouts that only they paused run again.`,
    statement: 'the statement',
    accept: (about: string) =>
      `This breach stays, and is accepted: ${about}. Verify counts it apart, and opens no exception for it again.`,
    acceptOther: 'Any other breach of the same invariant is found as before.',
    contracts: 'contracts',
    platform: 'the platform',
    about: 'It is about',
  },
  detail: {
    asked: 'What was asked for',
    facts: {
      status: 'State',
      by: 'Asked by',
      at: 'Asked',
      until: 'Waits until',
      reason: 'Reason',
      merchant: 'Merchant',
      mode: 'Mode',
      decided: 'Decided by',
      decidedAt: 'Decided',
      note: 'Note',
      digest: 'SHA-256 of the command',
    },
    raw: 'The command, byte for byte',
    forMoney: 'the money is there',
    refused: 'It could not be done when it was approved last',
    own: 'You asked for this yourself. A second operator decides on it.',
    notYours: 'Your role does not decide on this.',
  },
  forms: {
    decide: 'Decide',
    approve: 'Approve, and do it now',
    approvalNote: 'Why, if it should be kept',
    reject: 'Reject',
    note: 'Why not',
    withdraw: 'Withdraw it',
    done: 'Approved, and done.',
    rejected: 'Rejected. Nothing was done.',
    withdrawn: 'Withdrawn. Nothing was done.',
    asked: 'Asked for. A second operator must approve it within 24 hours.',
  },
}

/** The texts of the page on which staff freeze live payouts and ask to let them run again. */
export const FREEZE_TEXTS = {
  title: 'Freeze',
  lead: 'Stops what leaves. Money in goes on, and payouts that the operator has keep their course.',
  platform: 'The platform',
  runs: 'Live payouts run.',
  frozen: 'Live payouts of everybody are frozen.',
  facts: { reason: 'Reason', since: 'Since', by: 'By', lastChange: 'Changed last', lastBy: 'By' },
  reason: 'Reason',
  freeze: 'Freeze live payouts',
  freezeSays: 'One person may do this. No payout can be reserved once it is done.',
  done: 'Live payouts are frozen.',
  ask: 'Ask to let payouts run again',
  askSays: 'A second operator must approve this within 24 hours.',
  waits: 'Somebody has asked for the end of it:',
  merchants: 'Frozen merchants',
  none: 'No merchant is frozen',
  noneSays: 'Freeze one on its own page.',
  columns: { merchant: 'Merchant', reason: 'Reason', since: 'Since', act: 'End of it' },
}
