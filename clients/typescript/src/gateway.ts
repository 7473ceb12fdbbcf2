import {
  AccountResource,
  BalanceResource,
  HealthResource,
  Requests,
  Settlements,
  Statements,
} from './resources/books.ts'
import { Charges, Refunds } from './resources/charges.ts'
import { Payouts, ScheduledPayouts } from './resources/payouts.ts'
import { PaymentLinks, Subaccounts } from './resources/selling.ts'
import { Testing } from './resources/testing.ts'
import { Deliveries, Events, Webhooks } from './resources/told.ts'
import { Vending } from './resources/vending.ts'
import { WebhookAddresses } from './resources/webhook-addresses.ts'
import { newSigner } from './signing.ts'
import { type Fetch, openTransport } from './transport.ts'

export type GatewayOptions = {
  /** The secret key, `sk_test_...` or `sk_live_...`. What is no key is refused at once, so an environment variable may stand here. */
  apiKey: string | undefined
  /** Where the gateway is: `http://127.0.0.1:8080`, a gateway on your own machine, where it is absent. */
  baseUrl?: string | undefined
  /** Time-out of each attempt, in milliseconds: 30,000 where it is absent. */
  timeoutMs?: number | undefined
  /** How often a call is sent again: 3 where it is absent, never with 0. */
  maxRetries?: number | undefined
  /** An Ed25519 private key as PEM. Each request is signed with it, which a key needs that takes signed requests only. */
  signingKey?: string | undefined
  /** Sends the requests; the one of the runtime where it is absent. */
  fetch?: Fetch | undefined
}

const LOCAL = 'http://127.0.0.1:8080'
const TIMEOUT_MS = 30_000
const MAX_RETRIES = 3

/** The gateway, as the holder of one key sees it. */
export class Gateway {
  readonly charges: Charges
  readonly refunds: Refunds
  readonly payouts: Payouts
  readonly scheduledPayouts: ScheduledPayouts
  readonly paymentLinks: PaymentLinks
  readonly subaccounts: Subaccounts
  readonly vending: Vending
  readonly balance: BalanceResource
  readonly settlements: Settlements
  readonly statements: Statements
  readonly account: AccountResource
  readonly requests: Requests
  readonly events: Events
  readonly deliveries: Deliveries
  readonly webhooks: Webhooks
  readonly webhookAddresses: WebhookAddresses
  readonly test: Testing
  readonly health: HealthResource

  constructor(options: GatewayOptions) {
    const { apiKey, baseUrl = LOCAL, timeoutMs = TIMEOUT_MS, maxRetries = MAX_RETRIES, fetch, signingKey } = options
    const client = openTransport({
      apiKey: checkedApiKey(apiKey),
      baseUrl: checkedUrl(baseUrl),
      timeoutMs: checkedNumber('timeoutMs', timeoutMs, 1),
      maxRetries: checkedNumber('maxRetries', maxRetries, 0),
      signer: signingKey === undefined ? undefined : newSigner(signingKey),
      // Called as a function of nobody's, which browsers and Workers ask for.
      fetch: fetch ?? ((url, init) => globalThis.fetch(url, init)),
    })
    this.charges = new Charges(client)
    this.refunds = new Refunds(this.charges)
    this.payouts = new Payouts(client)
    this.scheduledPayouts = new ScheduledPayouts(client)
    this.paymentLinks = new PaymentLinks(client)
    this.subaccounts = new Subaccounts(client)
    this.vending = new Vending(client)
    this.balance = new BalanceResource(client)
    this.settlements = new Settlements(client)
    this.statements = new Statements(client)
    this.account = new AccountResource(client)
    this.requests = new Requests(client)
    this.events = new Events(client)
    this.deliveries = new Deliveries(client)
    this.webhooks = new Webhooks(client, timeoutMs)
    this.webhookAddresses = new WebhookAddresses(client)
    this.test = new Testing(client)
    this.health = new HealthResource(client)
  }
}

function checkedApiKey(key: unknown): string {
  if (typeof key === 'string' && /^[!-~]+$/.test(key)) return key
  throw new TypeError('apiKey must be your secret key, sk_test_... or sk_live_...; is its environment variable set?')
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) throw new TypeError('baseUrl must be an http or https address')
  return text.replace(/\/+$/, '')
}

function checkedNumber(name: string, value: number, least: number): number {
  if (Number.isFinite(value) && value >= least) return value
  throw new TypeError(`${name} must be a number of at least ${least}`)
}
