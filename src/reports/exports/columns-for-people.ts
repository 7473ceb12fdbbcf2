import { metadataCell } from '../../api/http/bodies/metadata.ts'
import { availableOn, type Charge, computeNet } from '../../payments/charges/charge.ts'
import type { Payout } from '../../payments/payouts/payout.ts'
import { formatPhone } from '../../platform/text/phone.ts'
import { kampalaClock } from '../../platform/time/kampala.ts'
import type { LinkWithCharges, presentLink } from '../../selling/payment-links/payment-link.ts'
import { paymentStatus, type VendingOrder } from '../../selling/vending/orders/order.ts'
import { listProductNames } from '../../selling/vending/orders/product-names.ts'
import type { SettlementRow } from '../settlements.ts'
import { channelName } from '../words/channels.ts'
import { failureWords } from '../words/failures.ts'
import { PAYOUT_KIND_WORDS, SETTLEMENT_KIND_WORDS } from '../words/kinds.ts'
import { stateWords } from '../words/states.ts'
import type { CsvColumn } from './export-rows.ts'

// The columns of files for people (docs/files.md): what they know first, in their words, the id last. Those for programs keep the names and
// states of the API.

const when = (at: Date | null): string | null => (at === null ? null : kampalaClock(at))
const phoneOf = (phone: string | null): string | null => (phone === null ? null : formatPhone(phone))
const kindOf = (words: Readonly<Record<string, string>>, kind: string): string => words[kind] ?? kind

export const CHARGE_COLUMNS_FOR_PEOPLE: readonly CsvColumn<Charge>[] = [
  { name: 'When', cell: ({ createdAt }) => when(createdAt) },
  { name: 'State', cell: ({ status }) => stateWords('charge', status).says },
  { name: 'Why not paid', cell: ({ failureReason }) => failureWords('charge', failureReason)?.brief ?? null },
  { name: 'Customer', cell: ({ phone }) => phoneOf(phone) },
  { name: 'E-mail', cell: ({ email }) => email },
  { name: 'What for', cell: ({ reference }) => reference },
  { name: 'Amount', cell: ({ amount }) => amount },
  { name: 'Of it gift card', cell: ({ giftCardAmount }) => giftCardAmount },
  { name: 'Fee', cell: ({ fee }) => fee },
  { name: 'Net', cell: computeNet },
  { name: 'Paid with', cell: ({ channel }) => channelName(channel) },
  { name: 'Number in the SMS', cell: ({ railTransactionId }) => railTransactionId },
  { name: 'Decided', cell: ({ completedAt }) => when(completedAt) },
  { name: 'Available', cell: (charge) => when(availableOn(charge)) },
  { name: 'Given back', cell: ({ refundedAt }) => when(refundedAt) },
  { name: 'Payment link', cell: ({ paymentLinkId }) => paymentLinkId },
  { name: 'Id', cell: ({ id }) => id },
  { name: 'Name', cell: ({ customerName }) => customerName },
  { name: 'Metadata', cell: ({ metadata }) => metadataCell(metadata) },
]

export const PAYOUT_COLUMNS_FOR_PEOPLE: readonly CsvColumn<Payout>[] = [
  { name: 'When', cell: ({ createdAt }) => when(createdAt) },
  { name: 'State', cell: ({ status }) => stateWords('payout', status).says },
  { name: 'Why it came back', cell: ({ failureReason }) => failureWords('payout', failureReason)?.brief ?? null },
  { name: 'Recipient', cell: ({ recipientName }) => recipientName },
  { name: 'Phone', cell: ({ recipientPhone }) => phoneOf(recipientPhone) },
  { name: 'What for', cell: ({ reference }) => reference },
  { name: 'Kind', cell: ({ kind }) => kindOf(PAYOUT_KIND_WORDS, kind) },
  { name: 'Amount', cell: ({ amount }) => amount },
  { name: 'Fee', cell: ({ fee }) => fee },
  { name: 'Amount and fee', cell: ({ amount, fee }) => amount + fee },
  { name: 'Sent with', cell: ({ channel }) => channelName(channel) },
  { name: 'Number in the SMS', cell: ({ railTransactionId }) => railTransactionId },
  { name: 'Decided', cell: ({ completedAt }) => when(completedAt) },
  { name: 'Refund of', cell: ({ chargeId }) => chargeId },
  { name: 'Bulk call', cell: ({ batchId }) => batchId },
  { name: 'Payroll', cell: ({ scheduleId }) => scheduleId },
  { name: 'Id', cell: ({ id }) => id },
  { name: 'Metadata', cell: ({ metadata }) => metadataCell(metadata) },
]

export const SETTLEMENT_COLUMNS_FOR_PEOPLE: readonly CsvColumn<SettlementRow>[] = [
  { name: 'When', cell: ({ createdAt }) => when(createdAt) },
  { name: 'Amount', cell: ({ amount }) => amount },
  { name: 'Payments', cell: ({ chargeCount }) => chargeCount },
  { name: 'How', cell: ({ kind }) => kindOf(SETTLEMENT_KIND_WORDS, kind) },
  { name: 'Subaccount', cell: ({ subaccountId }) => subaccountId },
  { name: 'Id', cell: ({ id }) => id },
]

export const ORDER_COLUMNS_FOR_PEOPLE: readonly CsvColumn<VendingOrder>[] = [
  { name: 'When', cell: ({ createdAt }) => when(createdAt) },
  { name: 'Machine', cell: ({ machine }) => machine },
  { name: 'What', cell: ({ goods }) => listProductNames(goods).join(', ') },
  { name: 'Amount', cell: ({ amount }) => amount },
  { name: 'Payment', cell: (order) => stateWords('orderPayment', paymentStatus(order)).says },
  { name: 'Machine says', cell: ({ vendingStatus }) => stateWords('dispense', vendingStatus).says },
  { name: 'Confirmed', cell: ({ confirmed }) => confirmed },
  { name: 'Units dispensed', cell: ({ unitsDispensed }) => unitsDispensed },
  { name: 'What went wrong', cell: ({ vendingError }) => vendingError },
  { name: 'What for', cell: ({ reference }) => reference },
  { name: 'Dispensed', cell: ({ dispensedAt }) => when(dispensedAt) },
  { name: 'Charge', cell: ({ charge }) => charge?.id ?? null },
  { name: 'Id', cell: ({ id }) => id },
  { name: 'Metadata', cell: ({ metadata }) => metadataCell(metadata) },
]

type PresentedLink = ReturnType<typeof presentLink>

export const linkColumnsForPeople = (
  present: (link: LinkWithCharges) => PresentedLink,
): readonly CsvColumn<LinkWithCharges>[] => [
  { name: 'When', cell: ({ createdAt }) => when(createdAt) },
  { name: 'State', cell: (link) => stateWords('link', String(present(link).status)).says },
  { name: 'What for', cell: ({ description }) => description },
  { name: 'Amount', cell: ({ amount }) => amount },
  { name: 'Reference', cell: ({ reference }) => reference },
  { name: 'Many times', cell: ({ allowMultipleUses }) => allowMultipleUses },
  { name: 'Address', cell: (link) => String(present(link).url) },
  { name: 'Last charge', cell: ({ paid, attempt }) => paid?.id ?? attempt?.id ?? null },
  { name: 'Id', cell: ({ id }) => id },
  { name: 'Metadata', cell: ({ metadata }) => metadataCell(metadata) },
]
