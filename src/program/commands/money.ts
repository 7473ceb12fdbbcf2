import { readBalance } from '../../ledger/balances.ts'
import { addTestFunds, MAX_TEST_FUNDS } from '../../ledger/test-funds.ts'
import { freezeAccount, freezePlatform } from '../../merchants/account/payout-freeze.ts'
import { getMerchantNamed, setMerchant } from '../../merchants/account/set-merchant.ts'
import { runChecksOfAllCells } from '../../operations/alerts/run-checks.ts'
import { moveSandboxClock } from '../../payments/charges/test-charges/move-sandbox-clock.ts'
import { PAYOUT_FAILURES } from '../../rails/rail.ts'
import { command, formatFacts } from './frame/command.ts'
import {
  type CommandInput,
  findText,
  getCommandMerchant,
  parseChoice,
  parseWholeNumber,
  requireText,
} from './frame/input.ts'
import { WrongUsage } from './frame/wrong-usage.ts'

const fundsAdd = command({
  usage: 'funds add <m> --amount N [--key K]',
  says: 'test money to test available',
  async run(input) {
    const amount = parseWholeNumber('amount', requireText(input, 'amount'), { low: 1, high: MAX_TEST_FUNDS })
    const { app, merchant } = await getCommandMerchant(input)
    const holder = { merchantId: merchant.id, tag: merchant.tag }
    const added = await addTestFunds(app, input.actor, { holder, amount, key: findText(input, 'key') })
    const { available } = await readBalance(app.db, merchant.id, 'test')
    return {
      json: { id: added.id, merchant: merchant.handle, mode: 'test', amount, added: added.added, available },
      lines: [
        added.added
          ? `added ${amount}; test available is ${available}`
          : `nothing added: this key was used before; test available is ${available}`,
      ],
    }
  },
})

const freeze = command({
  usage: 'payouts freeze [--merchant <m>] --reason R',
  says: 'stop live payouts, of the platform or of one account',
  run: (input) => setFreeze(input, requireText(input, 'reason')),
})

const unfreeze = command({
  usage: 'payouts unfreeze [--merchant <m>]',
  says: 'let live payouts run again',
  run: (input) => setFreeze(input, null),
})

async function setFreeze(input: CommandInput, reason: string | null) {
  const name = findText(input, 'merchant')
  const action = reason === null ? 'payouts unfreeze' : 'payouts freeze'
  if (name === undefined) await freezePlatform(input.gateway, input.actor, reason)
  else {
    const { app, merchant } = await getMerchantNamed(input.gateway, name)
    await freezeAccount(app, input.actor, { merchantId: merchant.id, reason })
  }
  // Unfreezing on the command line is an exceptional act that a person must know about (contract.md 9.3).
  input.gateway.log.warn(
    { action, merchant: name ?? 'platform', reason },
    'live payouts were frozen or unfrozen by command',
  )
  await runChecksOfAllCells(input.gateway)
  const json = {
    scope: name === undefined ? 'platform' : 'account',
    merchant: name ?? null,
    frozen: reason !== null,
    reason,
  }
  return {
    json,
    lines: [
      `live payouts ${name === undefined ? 'of the platform' : `of ${name}`} are ${reason === null ? 'running' : 'frozen'}`,
    ],
  }
}

const sandboxSet = command({
  usage: 'sandbox set <m> [--hold realistic|none] [--fail-next-payouts N --reason R]',
  says: 'how the sandbox treats one merchant',
  async run(input) {
    const hold = findText(input, 'hold')
    const count = findText(input, 'fail-next-payouts')
    if (hold === undefined && count === undefined) throw new WrongUsage('give --hold or --fail-next-payouts')
    const failing = count === undefined ? {} : parseFailing(input, count)
    const { app, merchant } = await getCommandMerchant(input)
    const change = {
      ...(hold === undefined ? {} : { testHold: parseChoice('hold', hold, ['realistic', 'none']) }),
      ...failing,
    }
    const changed = await setMerchant(app, input.actor, { merchant, change })
    const json = {
      merchant: merchant.handle,
      hold: changed.testHold,
      fail_next_payouts: changed.failNextPayouts,
      reason: changed.failNextReason,
    }
    return { json, lines: formatFacts(json, 18) }
  },
})

function parseFailing(input: CommandInput, count: string) {
  const failNextPayouts = parseWholeNumber('fail-next-payouts', count, { low: 0, high: 100 })
  if (failNextPayouts === 0) return { failNextPayouts, failNextReason: null }
  return {
    failNextPayouts,
    failNextReason: parseChoice('reason', requireText(input, 'reason'), PAYOUT_FAILURES),
  }
}

const sandboxClock = command({
  usage: 'sandbox clock <m> --advance 90m|24h|30d|next-month',
  says: "move a merchant's test clock forward: holds and cycles become due",
  async run(input) {
    const advance = requireText(input, 'advance')
    const { app, merchant } = await getCommandMerchant(input)
    const moved = await moveSandboxClock(app, input.actor, { merchantId: merchant.id, advance })
    if (moved === null) throw new WrongUsage('--advance must look like 90m, 24h, 30d or next-month')
    const json = {
      merchant: merchant.handle,
      offset_ms: moved.offsetMs,
      test_time: moved.testTime.toISOString(),
      settled: moved.settled,
    }
    return {
      json,
      lines: [`test clock of ${merchant.handle}: ${json.test_time} (${moved.settled} charges settled)`],
    }
  },
})

export const moneyCommands = [fundsAdd, freeze, unfreeze, sandboxSet, sandboxClock]
