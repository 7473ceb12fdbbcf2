import type { ComponentChildren } from 'preact'
import { formatPhone } from '../../../platform/text/phone.ts'
import { failureWords } from '../../../reports/words/failures.ts'
import type { OrderStep } from '../../../selling/vending/orders/read-order-steps.ts'
import { OutsideText, type TimelineEntry } from '../../parts/parts.tsx'
import { formatShillings } from '../../parts/wording.ts'
import { findObjectAddress } from '../object-link.tsx'
import { VENDING } from '../texts/vending.ts'
import type { DashboardVisit } from '../visit.ts'

const words = VENDING.orders.steps

/** Describes a step of an order for its timeline. The payment and its refund lead to their pages, where this person may see them. */
export function describeStep(visit: DashboardVisit, step: OrderStep): Omit<TimelineEntry, 'at'> {
  switch (step.kind) {
    case 'made':
    case 'withdrawn':
      return { title: words[step.kind], ...(step.kind === 'made' ? {} : { tone: 'warn' as const }) }
    case 'asked': {
      const { charge } = step
      const due = formatShillings(charge.amount - charge.giftCardAmount)
      return {
        title: leadTo(visit, charge.id, words.asked(due)),
        detail: charge.phone === null ? undefined : formatPhone(charge.phone),
        tone: 'open',
      }
    }
    case 'paid': {
      const { id, railTransactionId, giftCardAmount } = step.charge
      const byCard = giftCardAmount === 0 ? [] : [words.byCard(formatShillings(giftCardAmount))]
      const number = railTransactionId === null ? [] : [words.operatorNumber(railTransactionId)]
      const detail = [...byCard, ...number].join(' · ')
      return { title: leadTo(visit, id, words.paid), ...(detail === '' ? {} : { detail }), tone: 'good' }
    }
    case 'not_paid': {
      const { id, failureReason } = step.charge
      return {
        title: leadTo(visit, id, words.notPaid),
        detail: failureWords('charge', failureReason)?.brief,
        tone: 'bad',
      }
    }
    case 'commanded':
      return { title: step.attempt === 1 ? words.commanded : words.commandedAgain, detail: words.machine(step.machine) }
    case 'answered':
      return { title: words.answered, detail: <OutsideText text={step.message} /> }
    case 'failed':
    case 'assumed':
    case 'dispensed':
      return describeOutcome(step)
    case 'refunded': {
      const { charge } = step
      const title = words.refunded(formatShillings(charge.amount))
      return { title: leadTo(visit, charge.refundId ?? charge.id, title), tone: 'warn' }
    }
    case 'refund_sent':
    case 'refund_failed':
      return {
        title: leadTo(visit, step.payout.id, step.kind === 'refund_sent' ? words.refundSent : words.refundFailed),
        detail: failureWords('payout', step.payout.failureReason)?.brief,
        tone: step.kind === 'refund_sent' ? 'good' : 'bad',
      }
  }
}

type OutcomeStep = Extract<OrderStep, { kind: 'failed' | 'assumed' | 'dispensed' }>

function describeOutcome({ kind, source, note }: OutcomeStep): Omit<TimelineEntry, 'at'> {
  const said = source === 'manual' ? words.byPerson[kind] : words.byMachine[kind]
  return {
    title: said,
    ...(note === null ? {} : { detail: <OutsideText text={note} /> }),
    tone: kind === 'failed' ? 'bad' : 'good',
  }
}

function leadTo(visit: DashboardVisit, id: string, text: string): ComponentChildren {
  const address = findObjectAddress(visit, id)
  return address === null ? text : <a href={address}>{text}</a>
}
