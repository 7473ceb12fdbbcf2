import type { ChargeFailure } from '../../../rails/rail.ts'
import type { ClosedView, CustomerRefund, FormFault, Language, MachineReport, Method } from '../view.ts'
import { EN } from './en.ts'
import { LG } from './lg.ts'
import { SW } from './sw.ts'

/** Every sentence of the hosted pages in one language. Amounts are passed formatted, as `UGX 25,000`. */
export type Texts = {
  /** The language in its own words. */
  ownName: string
  languages: string
  /** `only` stands behind a way to pay that live mode does not have. */
  test: { word: string; notice: string; only: string }
  /** Stands for the merchant's name if that is unknown. */
  theShop: string
  backTo: (shop: string) => string
  methods: Record<Method, string>
  /** The name of what the customer types on the phone to approve. */
  pins: Record<Method, string>
  faultTitle: (title: string) => string
  faults: Record<FormFault, string>
  pay: {
    title: (shop: string) => string
    noFee: (amount: string) => string
    priceBefore: string
    giftCard: (last4: string) => string
    remove: string
    removeCard: (last4: string) => string
    kept: (amount: string) => string
    covered: string
    haveCard: string
    code: string
    apply: string
    method: string
    phone: (method: string | null) => string
    phoneHint: string
    addEmail: string
    email: string
    emailHint: (shop: string) => string
    button: (amount: string) => string
    useCard: string
    pin: string
    oneMoment: string
    looksLike: (operator: string) => string
    /** The number looks like one operator's while the other was chosen. */
    looksOther: (operator: string, chosen: string) => string
    /** Beside a number that looks like one operator's while only the other would be asked. */
    otherNumber: (operator: string, chosen: string) => string
    orChoose: (operator: string) => string
    numberIs: (chosen: string) => string
    cancel: (shop: string) => string
  }
  waiting: {
    title: string
    sends: (operator: string, phone: string | null) => string
    compare: (amount: string) => string
    enterPin: (pin: string) => string
    never: string
    secondsLeft: (seconds: string) => string
    nothingCame: string
    still: (operator: string) => string
    mayClose: (shop: string) => string
    check: string
    inTest: string
  }
  failed: {
    title: string
    nothingTaken: string
    cardKept: string
    reasons: Record<ChargeFailure, { what: string; todo: string }>
    again: string
    closed: (shop: string) => string
  }
  receipt: {
    fresh: string
    earlier: string
    printable: string
    /** For a refunded payment, by the state of its money. */
    refunds: Record<CustomerRefund['state'], { title: string; text: (shop: string) => string }>
    /** Added if a part was sent to the phone and the rest put back on a gift card. */
    cardBack: string
    /** The machine's report on a paid order. */
    machine: Record<Exclude<MachineReport['says'], 'partly'>, (shop: string) => string>
    partly: (shop: string, delivered: string, products: string) => string
    to: (shop: string) => string
    confirms: (shop: string) => string
    details: string
    shop: string
    forWhat: string
    price: string
    giftCard: string
    paidByPhone: string
    method: string
    methodCard: string
    phone: string
    when: string
    number: string
    operatorNumber: string
    shopNumber: string
    goOn: (shop: string) => string
    forward: (seconds: string) => string
    stay: string
    receipt: string
    print: string
    report: string
  }
  report: {
    title: string
    about: (amount: string, shop: string) => string
    reason: string
    reasons: Record<CustomerReportReason, string>
    details: string
    contact: (shop: string) => string
    never: string
    send: string
    back: string
    thanks: string
    heard: (shop: string) => string
    noMoney: string
    answered(shop: string): string
  }
  closed: Record<ClosedView['why'], { title: string; text: (shop: string) => string }> & {
    retry: string
    storefront: (shop: string) => string
  }
  storefront: {
    items: string
    empty: string
    emptyHint: (shop: string) => string
    own: string
    amount: string
    atLeast: (amount: string) => string
    atMost: (amount: string) => string
    goOn: string
    more: string
    first: string
    scan: string
    scanHint: string
    saveQr: string
  }
  /** On the screen of a machine: read standing, from two metres. */
  display: {
    scan: string
    scanHow: string
    again: string
    left: (time: string) => string
    paying: string
    payingHow: string
    releasing: string
    releasingHow: string
    ifNothing: (shop: string) => string
    collect: string
    thanks: string
    partly: (shop: string, delivered: string, products: string) => string
    failed: string
    /** The state of the money, and who decides about it. */
    money: (amount: string, shop: string) => string
    refunds: Record<CustomerRefund['state'], (amount: string, shop: string) => string>
    expired: string
    expiredHow: string
    busy: string
    busyHow: string
    off: string
    offHow: (shop: string) => string
    offline: string
    machine: (number: string) => string
    order: (number: string) => string
  }
}

export type CustomerReportReason = 'not_delivered' | 'wrong_amount' | 'double_charge' | 'other'

/** The catalogues by language. */
export const TEXTS: Record<Language, Texts> = { en: EN, lg: LG, sw: SW }
