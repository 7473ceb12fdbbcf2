import { keyReused } from '../idempotency/keys.ts'
import { findMerchantOfTag } from '../merchants/set-merchant.ts'
import { idForKey } from '../payouts/accept-payout.ts'
import { findPayout } from '../payouts/find-payouts.ts'
import { payOutSubaccount } from '../payouts/pay-out-subaccount.ts'
import { type Payout, presentPayout } from '../payouts/payout.ts'
import { whenTaken } from '../platform/db/taken.ts'
import { tagOf } from '../platform/ids.ts'
import type { Mode } from '../platform/mode.ts'
import { notFound } from '../platform/refusal.ts'
import { setSubaccountStatus } from '../subaccounts/set-subaccount-status.ts'
import type { SubaccountStatus } from '../subaccounts/subaccount.ts'
import { type Decision, decideWithdrawal, requestWithdrawal } from '../withdrawals/withdraw.ts'
import {
  getWithdrawalNumber,
  setWithdrawalNumber,
  verifyWithdrawalNumber,
  type WithdrawalNumber,
  whyWaits,
} from '../withdrawals/withdrawal-number.ts'
import { type Command, type CommandAnswer, command } from './command.ts'
import { amountOf, type CommandInput, modeOf, ofMerchant, optionalText, required } from './input.ts'
import { WrongUsage } from './wrong-usage.ts'

function shown(payout: Payout, note?: string): CommandAnswer {
  const json = presentPayout(payout)
  const { id, status, amount, fee, recipient_phone: phone } = json
  return { json, lines: [`${id} ${status}: ${amount} to ${phone}, fee ${fee}${note ? ` (${note})` : ''}`] }
}

type Keyed = {
  action: string
  mode: Mode
  input: { amount: number; subaccountId: string | null }
  make(key: string | undefined): Promise<Payout>
}

/**
 * Makes a payout, or shows the one that this key made before in this mode without checking anything else. A key that was used for another
 * payout is refused.
 */
async function oncePerKey(
  input: CommandInput,
  { action, mode, input: payoutInput, make }: Keyed,
): Promise<CommandAnswer> {
  const { app, merchant } = await ofMerchant(input)
  const keyText = optionalText(input, 'key')
  const key = keyText === undefined ? undefined : `${action} ${mode} ${keyText}`
  const before = key === undefined ? null : await findPayout(app, merchant.id, idForKey(merchant.tag, key))
  if (before !== null) return shownAgain(before, payoutInput)
  const makeNow = async () => shown(await make(key))
  if (key === undefined) return makeNow()
  return whenTaken(makeNow, async (error) => {
    // Another command with this key stored its payout first.
    const payout = await findPayout(app, merchant.id, idForKey(merchant.tag, key))
    if (payout === null) throw error
    return shownAgain(payout, payoutInput)
  })
}

function shownAgain(payout: Payout, { amount, subaccountId }: Keyed['input']): CommandAnswer {
  if (payout.amount !== amount || payout.subaccountId !== subaccountId) throw keyReused()
  return shown(payout, 'made before with this key')
}

const subaccountPayout = command({
  usage: 'subaccounts payout <m> --subaccount S --amount N [--mode test|live] [--key K]',
  says: "pay a subaccount's money out to its payout_phone",
  async run(input) {
    const { app, merchant } = await ofMerchant(input)
    const mode = modeOf(input)
    const holder = { merchantId: merchant.id, tag: merchant.tag, mode }
    const payoutInput = {
      subaccountId: required(input, 'subaccount'),
      amount: amountOf(required(input, 'amount')),
    }
    const make = (key: string | undefined) =>
      payOutSubaccount(app, input.actor, { holder, ...payoutInput, key })
    return oncePerKey(input, { action: 'subaccounts payout', mode, input: payoutInput, make })
  },
})

const subaccountStatus = (verb: string, status: SubaccountStatus): Command =>
  command({
    usage: `subaccounts ${verb} <m> --subaccount S`,
    says:
      status === 'active' ? 'let splits name it again' : 'refuse it in new splits; its money stays its own',
    async run(input) {
      const { app, merchant } = await ofMerchant(input)
      const id = required(input, 'subaccount')
      if (tagOf('sub_', id) !== merchant.tag) throw notFound('subaccount')
      const { name } = await setSubaccountStatus(app, input.actor, { merchantId: merchant.id, id, status })
      return { json: { id, name, status }, lines: [`${id} ${name} is ${status}`] }
    },
  })

const shownNumber = ({ phone, verified, waitsUntil }: WithdrawalNumber) => ({
  ...{ phone, verified, waits_until: waitsUntil },
})

const withdrawalNumber = command({
  usage: 'withdrawals number <m> [--phone P]',
  says: "where the merchant's own money may go; with --phone: set it, and a new number has to be verified",
  async run(input) {
    const { app, merchant } = await ofMerchant(input)
    const phone = optionalText(input, 'phone')
    const number =
      phone === undefined
        ? await getWithdrawalNumber(app, merchant.id)
        : await setWithdrawalNumber(app, input.actor, { merchantId: merchant.id, phone })
    const waits = whyWaits(app, number)
    const state = number.verified ? 'verified' : 'not yet verified'
    return {
      json: shownNumber(number),
      lines: [`${number.phone} (${state})`, ...(waits === null ? [] : [waits])],
    }
  },
})

const verifyNumber = command({
  usage: 'withdrawals verify-number <m> --phone P',
  says: 'an operator has made sure that this number is the merchant’s; refused when another one was set meanwhile',
  async run(input) {
    const { app, merchant } = await ofMerchant(input)
    const checked = { merchantId: merchant.id, phone: required(input, 'phone') }
    const number = await verifyWithdrawalNumber(app, input.actor, checked)
    return { json: shownNumber(number), lines: [`${number.phone} is verified`] }
  },
})

const requestCommand = command({
  usage: 'withdrawals request <m> --amount N [--key K]',
  says: "ask for live money on the merchant's own verified number; it waits for approval",
  async run(input) {
    const { app, merchant } = await ofMerchant(input)
    const amount = amountOf(required(input, 'amount'))
    const make = (key: string | undefined) =>
      requestWithdrawal(app, input.actor, { merchantId: merchant.id, amount, key })
    const payoutInput = { amount, subaccountId: null }
    return oncePerKey(input, { action: 'withdrawals request', mode: 'live', input: payoutInput, make })
  },
})

const decide = (verb: string, decision: Decision, says: string): Command =>
  command({
    usage: `withdrawals ${verb} --id W${decision === 'rejected' ? ' [--note N]' : ''}`,
    says,
    unshown: ['note'],
    async run(input) {
      const id = required(input, 'id')
      const { app, merchant } = await ownerOf(input, id)
      const note = optionalText(input, 'note') ?? null
      await decideWithdrawal(app, input.actor, { merchantId: merchant.id, id, decision, note })
      const payout = await findPayout(app, merchant.id, id)
      if (payout === null) throw notFound('withdrawal')
      return shown(payout, decision)
    },
  })

/** The merchant of this withdrawal, from its id. */
async function ownerOf(input: CommandInput, id: string) {
  const tag = tagOf('pout_', id)
  if (tag === null) throw new WrongUsage('--id must look like pout_...')
  return findMerchantOfTag(input.gateway, { tag, noun: 'withdrawal' })
}

export const payoutCommands = [
  subaccountPayout,
  subaccountStatus('deactivate', 'inactive'),
  subaccountStatus('activate', 'active'),
  withdrawalNumber,
  verifyNumber,
  requestCommand,
  decide('approve', 'approved', 'send it'),
  decide('reject', 'rejected', 'return amount and fee; the note is for the merchant'),
  decide('cancel', 'cancelled', 'return amount and fee: the merchant changed its mind'),
]
