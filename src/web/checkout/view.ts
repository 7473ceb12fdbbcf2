import type { Mode } from '../../platform/mode.ts'
import type { Channel, ChargeFailure } from '../../rails/rail.ts'
import type { InvoiceLine } from '../../selling/invoices/invoice.ts'
import type { DeliveryCount } from '../../selling/vending/dispensing/delivered-products.ts'

/** The input that every page needs: merchant, mode, language, and the present address. */
export type PageSetting = {
  language: Language
  /** Null for an unknown address. */
  shop: { name: string; handle: string } | null
  mode: Mode
  /** The address of this page with its query but without `lang`, for the switch of languages; starts with `/pay/`. */
  here: string
  /** The merchant's own colours and logo; the pages have our colours without it. */
  brand?: Brand
}

/** The merchant's colours as a stylesheet, and the path of its logo. */
export type Brand = { style: string | null; logo: string | null }

export type Language = 'en' | 'lg' | 'sw'
export type Method = Channel

/** Why the form is shown again, in the words of the customer's language. */
export type FormFault =
  | 'phone' // what was typed is no phone number
  | 'landline' // which has no mobile money
  | 'email'
  | 'method' // a way to pay that this page does not have
  | 'voucher' // cannot be used here, whatever the reason
  | 'voucher_changed' // the card pays another sum than the form showed: the customer must see it before paying
  | 'voucher_lost' // the card that was applied pays nothing here any more
  | 'voucher_closed' // too many wrong codes on this link
  | 'rail' // the operator cannot be reached, and nothing was charged
  | 'prompts' // this phone has had too many prompts of late
  | 'reported' // too many reports from here in an hour
  | 'busy' // too many tries from here, or the service has too much to do
  | 'elsewhere' // the form was sent from another site
  | 'card_number' // a payment card number typed into a text
  | 'details'
  | 'contact'
  | 'reason' // of a report
  | 'amount' // the customer's own amount on the storefront is missing or less than the minimum
  | 'amount_over' // more than the maximum
  | 'amount_under' // the rest after the gift card is less than the operator collects

/** A gift card as the form shows it. Whole UGX. `kept` stays on the card; `due` is 0 when it covers all. */
export type AppliedVoucher = { last4: string; applied: number; due: number; kept: number }

/** What an invoice asks its customer for, before it is paid. `dueOn` is the first moment of that day; `name` is null once it is forgotten. */
export type InvoiceView = {
  number: string
  name: string | null
  dueOn: Date
  isLate: boolean
  lines: readonly InvoiceLine[]
  note: string | null
}

export type PayView = {
  kind: 'pay'
  linkId: string
  amount: number
  description: string | null
  invoice: InvoiceView | null
  /** The methods of the link's mode in order; the first is preselected. */
  methods: readonly Method[]
  /** Those of them that exist only in test mode. */
  testOnly: readonly Method[]
  /** Null on a page that takes no vouchers (test mode, or too many wrong codes). */
  voucher: { applied: AppliedVoucher | null; typed: string } | null
  typed: { method: Method | null; phone: string; email: string }
  /** Hidden field `token` of the pay form, so that a form sent twice makes one payment. */
  token: string
  fault: FormFault | null
  otherOperator: OtherOperator | null
  cancelUrl: string | null
}

/** The number seems to be of another operator than the chosen one; `sure` is what the customer sends to say that it is not. */
export type OtherOperator = { operator: Method; chosen: Method; sure: string }

/** A charge as its customer may see it: whole UGX, the phone masked, times in UTC. */
export type CustomerPayment = {
  linkId: string
  /** The charge id in the query of every address of this payment, for a reusable link; null for a one-shot link. */
  charge: string | null
  amount: number
  giftCard: number
  due: number
  method: Method
  /** `+256 7•• ••• 001`, or null if the payment needed no phone. */
  phone: string | null
  description: string | null
}

export type WaitingView = {
  kind: 'waiting'
  payment: CustomerPayment
  /**
   * Seconds left of the sixty that the prompt stays on the phone. At 0 or less the prompt has gone, and only the operator's
   * answer is awaited.
   */
  secondsLeft: number
  cancelUrl: string | null
}

export type FailedView = {
  kind: 'failed'
  payment: CustomerPayment
  reason: ChargeFailure
  /** False if the merchant takes no payments any more or the order has expired. */
  mayRetry: boolean
  /** The order has expired; the machine creates another. */
  expired: boolean
  cancelUrl: string | null
}

/**
 * The money of a refunded payment (whole UGX): on its way or sent to the phone, failed to arrive, or put back on the gift
 * card.
 */
export type CustomerRefund = { state: 'on_its_way' | 'sent' | 'failed' | 'card'; amount: number }

export type MachineReport =
  | { says: 'releasing' | 'dispensed' | 'failed' }
  | { says: 'partly'; delivered: DeliveryCount }

export type ReceiptView = {
  /** `look` is `fresh` just after the payment, `earlier` on a later visit to a paid link, `printable` on the receipt page. */
  kind: 'receipt'
  look: 'fresh' | 'earlier' | 'printable'
  payment: CustomerPayment
  refund: CustomerRefund | null
  /**
   * The report of an order's machine: `releasing` before it reports, `partly` if some products are missing. Null for a
   * payment without an order.
   */
  machine: MachineReport | null
  /** Our own reference, then the operator's, then the merchant's. */
  chargeId: string
  operatorReference: string | null
  reference: string | null
  paidAt: Date
  /** The address to return to; never a proof of payment. */
  successUrl: string | null
  /** Seconds until the page goes there by itself, on a fresh receipt only. */
  forwardSeconds: number | null
}

export type ReportView = {
  kind: 'report'
  payment: CustomerPayment
  chargeId: string
  typed: { reason: string; details: string; contact: string }
  fault: FormFault | null
  answers: readonly ShopAnswer[]
}
type ReportedView = { kind: 'reported'; payment: CustomerPayment; answers: readonly ShopAnswer[] }
/** An answer of the shop to a report on this payment. */
type ShopAnswer = { says: string; saidAt: Date }

/** The page on which the customer of an invoice says no to more mails. `key` proves that a mail led here. */
type MailsView = { kind: 'mails'; linkId: string; key: string; stopped: boolean }

/** A page on which nothing can be paid, and why. `unknown` is a 404, `trouble` a fault of ours, `busy` a limit or overload. */
export type ClosedView = {
  kind: 'closed'
  why: 'inactive' | 'left' | 'expired' | 'unknown' | 'trouble' | 'busy'
  cancelUrl: string | null
  /** The merchant's public page, if it is open. */
  storefront: string | null
}

export type StorefrontItem = {
  id: string
  name: string
  description: string | null
  amount: number
  /** `/pay/lnk_...` */
  href: string
  /** The address of its picture, or null. Square, 320 by 320, WebP. */
  picture: string | null
}
export type StorefrontView = {
  kind: 'storefront'
  items: readonly StorefrontItem[]
  /** The next page, or null on the last one. */
  nextHref: string | null
  /** The first page, or null on it. */
  firstHref: string | null
  /** The storefront's QR code, as a picture and as a file to save. */
  qrSvg: string
  qrPng: string
  /** Where the customer's own amount is sent, as typed, its limits, and its fault. Null if the merchant takes none. */
  ownAmount: { action: string; typed: string; least: number; most: number; fault: FormFault | null } | null
}

/** The state of an order as the screen of a machine shows it (contract.md G33). */
export type Screen =
  /** `afterFailure`: an earlier payment failed. */
  | { name: 'scan'; secondsLeft: number; afterFailure: boolean }
  | { name: 'paying' }
  /** `late`: the customer has waited so long that the machine may be stuck. */
  | { name: 'releasing'; late: boolean }
  /** `unconfirmed`: the supplier accepted the command, but the machine has not reported. */
  | { name: 'collect'; doubt: 'unconfirmed' | null }
  | { name: 'collect'; doubt: 'partly'; delivered: DeliveryCount }
  | { name: 'failed'; refund: CustomerRefund | null }
  | { name: 'expired' }
  /** The merchant takes no payments now. */
  | { name: 'closed' }
  /** Vending is switched off, so no machine of the merchant would get a command. */
  | { name: 'off' }
  /** `unknown`: there is no such order. `busy`: the service is overloaded. */
  | { name: 'unknown' }
  | { name: 'busy' }

export type DisplayView = {
  kind: 'display'
  screen: Screen
  /** Null for an unknown order. Whole UGX; `qr` is the picture itself. */
  order: { id: string; machine: string; amount: number; products: readonly string[]; qr: string } | null
  /** The address that the script polls, how often, and the state that this page shows. Null if nothing will change. */
  watch: { url: string; everyMs: number; seen: string } | null
}

export type View =
  | PayView
  | WaitingView
  | FailedView
  | ReceiptView
  | ReportView
  | ReportedView
  | MailsView
  | ClosedView
  | StorefrontView
  | DisplayView
