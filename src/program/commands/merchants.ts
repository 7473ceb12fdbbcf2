import { type GrantedRates, MAX_PER_MINUTE, RATE_NAMES } from '../../api/rate-limits/rates.ts'
import { createMerchant } from '../../merchants/account/create-merchant.ts'
import { findAllMerchants, type Merchant } from '../../merchants/account/merchant.ts'
import { getMerchantNamed, type MerchantChange } from '../../merchants/account/set-merchant.ts'
import { setMerchantAndVerification } from '../../merchants/verification/decide-application.ts'
import { closeAccount, keepAccountOpen } from '../../operations/closing/close-account.ts'
import type { App } from '../app.ts'
import { type CommandAnswer, command, formatFacts } from './frame/command.ts'
import {
  type CommandInput,
  findText,
  getCommandMerchant,
  parseChoice,
  parseWholeNumber,
  requireText,
} from './frame/input.ts'
import { WrongUsage } from './frame/wrong-usage.ts'

const MAX_LIMIT = Number.MAX_SAFE_INTEGER

const create = command({
  usage: 'merchants create --name N --email E [--handle H] [--verified] [--vending] [--key K]',
  says: 'make a merchant; prints its keys and webhook secret once',
  async run(input) {
    const handle = findText(input, 'handle')
    const key = findText(input, 'key')
    const made = await createMerchant(input.gateway, input.actor, {
      name: requireText(input, 'name'),
      email: requireText(input, 'email'),
      ...(handle === undefined ? {} : { handle }),
      verified: input.options.verified === true,
      vending: input.options.vending === true,
      commandKey: key,
    })
    return {
      json: made,
      lines: [
        `merchant ${made.handle} (${made.id})`,
        ...Object.entries(made.keys).map(([kind, value]) => `  ${kind.padEnd(18)} ${value}`),
        `  ${'webhook secret'.padEnd(18)} ${made.webhook_secret}`,
        'Keep them now: they are not shown again.',
      ],
    }
  },
})

const list = command({
  usage: 'merchants list',
  says: 'all merchants, a line each',
  async run({ gateway }) {
    const listing = findAllMerchants()
    const each = await Promise.all(
      gateway.cells.map(async ({ cell, db }) => ({ cell, rows: await db.query(listing.statement, listing.values) })),
    )
    const merchants = each.flatMap(({ cell, rows }) => rows.map((merchant) => ({ cell, merchant })))
    return {
      json: merchants.map(presentFacts),
      lines: merchants.map(
        ({ merchant }) =>
          `${merchant.publicId}  ${merchant.handle}  ${merchant.kycStatus}  ${merchant.active ? 'active' : 'inactive'}  ${merchant.name}`,
      ),
    }
  },
})

const show = command({
  usage: 'merchants show <m>',
  says: 'facts of one merchant, never secrets',
  async run({ gateway, words }) {
    const { app, merchant } = await getMerchantNamed(gateway, words[0] ?? '')
    return answerMerchant(app, merchant)
  },
})

const set = command({
  usage:
    'merchants set <m> [--kyc pending|verified|rejected] [--active true|false] [--vending true|false] [--auto-refund-on-jam off|test|live|both] [--instant-settlement true|false] [--webhook-url URL|none] [--charge-limit N|none] [--payout-limit N|none] [--rate-limits NAME=N|none,...]',
  says: 'change facts of a merchant',
  async run(input) {
    const change = parseChange(input)
    if (Object.keys(change).length === 0) throw new WrongUsage('nothing to change: give at least one option')
    const { app, merchant } = await getCommandMerchant(input)
    const changed = await setMerchantAndVerification(app, input.actor, { merchant, change })
    return answerMerchant(app, changed)
  },
})

const close = command({
  usage: 'merchants close <m> [--says S]',
  says: 'close the account: it takes no more money, what it holds is paid out, then keys and sessions end; --says: what its owners are told',
  unshown: ['says'],
  async run(input) {
    const { app, merchant } = await getCommandMerchant(input)
    const says = findText(input, 'says') ?? null
    return answerMerchant(app, await closeAccount(app, input.actor, { merchant, says }))
  },
})

const keep = command({
  usage: 'merchants keep <m>',
  says: 'keep an account open that is being closed',
  async run(input) {
    const { app, merchant } = await getCommandMerchant(input)
    return answerMerchant(app, await keepAccountOpen(app, input.actor, merchant))
  },
})

export const merchantCommands = [create, list, show, set, close, keep]

function parseChange(input: CommandInput): MerchantChange {
  const option = (name: string) => findText(input, name)
  const truth = (name: string) => {
    const value = option(name)
    return value === undefined ? undefined : parseChoice(name, value, ['true', 'false']) === 'true'
  }
  const limit = (name: string) => {
    const value = option(name)
    if (value === undefined) return undefined
    return value === 'none' ? null : parseWholeNumber(name, value, { low: 1, high: MAX_LIMIT })
  }
  const kyc = option('kyc')
  const jam = option('auto-refund-on-jam')
  const url = option('webhook-url')
  const change: Record<string, unknown> = {
    kycStatus: kyc === undefined ? undefined : parseChoice('kyc', kyc, ['pending', 'verified', 'rejected']),
    active: truth('active'),
    vendingEnabled: truth('vending'),
    autoRefundOnJam:
      jam === undefined ? undefined : parseChoice('auto-refund-on-jam', jam, ['off', 'test', 'live', 'both']),
    instantSettlement: truth('instant-settlement'),
    webhookUrl: url === 'none' ? null : url,
    chargeLimit: limit('charge-limit'),
    payoutLimit: limit('payout-limit'),
    rateLimits: parseRateLimits(option('rate-limits')),
  }
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}

/** Parses `charges=600,reads=none`: the requests a minute, or the settings' own number for none. */
function parseRateLimits(text: string | undefined): MerchantChange['rateLimits'] {
  if (text === undefined) return undefined
  const pairs = text.split(',').map((pair): [string, number | null] => {
    const [name = '', value = ''] = pair.split('=').map((part) => part.trim())
    const rate = parseChoice('rate-limits', name, RATE_NAMES)
    if (value === 'none') return [rate, null]
    return [rate, parseWholeNumber(`rate-limits ${rate}`, value, { low: 1, high: MAX_PER_MINUTE })]
  })
  return Object.fromEntries(pairs)
}

function answerMerchant({ cell }: Pick<App, 'cell'>, merchant: Merchant): CommandAnswer {
  const json = presentFacts({ cell, merchant })
  return {
    json,
    lines: formatFacts({ ...json, rate_limits: formatRates(merchant.rateLimits) }, 22),
  }
}

const formatRates = (granted: GrantedRates) =>
  Object.entries(granted)
    .map(([name, aMinute]) => `${name}=${aMinute}`)
    .join(',') || null

const presentFacts = ({ cell, merchant }: { cell: string; merchant: Merchant }) => ({
  id: merchant.publicId,
  handle: merchant.handle,
  cell,
  name: merchant.name,
  email: merchant.email,
  public_key_test: merchant.publicKeyTest,
  public_key_live: merchant.publicKeyLive,
  kyc_status: merchant.kycStatus,
  active: merchant.active,
  vending_enabled: merchant.vendingEnabled,
  auto_refund_on_jam: merchant.autoRefundOnJam,
  instant_settlement: merchant.instantSettlement,
  webhook_url: merchant.webhookUrl,
  charge_limit: merchant.chargeLimit,
  payout_limit: merchant.payoutLimit,
  rate_limits: merchant.rateLimits,
  test_hold: merchant.testHold,
  test_clock_offset_ms: merchant.testClockOffsetMs,
  fail_next_payouts: merchant.failNextPayouts,
  fail_next_reason: merchant.failNextReason,
  inactive_since: merchant.inactiveSince?.toISOString() ?? null,
  inactive_for: merchant.inactiveFor,
  limits_set_at: merchant.limitsSetAt?.toISOString() ?? null,
  closing_at: merchant.closingAt?.toISOString() ?? null,
  closed_at: merchant.closedAt?.toISOString() ?? null,
  created_at: merchant.createdAt.toISOString(),
})
