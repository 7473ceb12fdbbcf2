import { keyReused } from '../../api/idempotency/keys.ts'
import { getMerchantOfTag } from '../../merchants/account/set-merchant.ts'
import { payoutIdForKey } from '../../payments/payouts/accept-payout.ts'
import { findPayout } from '../../payments/payouts/find-payouts.ts'
import { payOutSubaccount } from '../../payments/payouts/pay-out-subaccount.ts'
import { type Payout, presentPayout } from '../../payments/payouts/payout.ts'
import { setSubaccountStatus } from '../../payments/subaccounts/set-subaccount-status.ts'
import type { SubaccountStatus } from '../../payments/subaccounts/subaccount.ts'
import { decideWithdrawal, requestWithdrawal, type WithdrawalDecision } from '../../payments/withdrawals/withdraw.ts'
import {
  findWaitReason,
  getWithdrawalNumber,
  setWithdrawalNumber,
  verifyWithdrawalNumber,
  type WithdrawalNumber,
} from '../../payments/withdrawals/withdrawal-number.ts'
import { onUniqueViolation } from '../../platform/db/unique-violation.ts'
import type { Mode } from '../../platform/mode.ts'
import { notFound } from '../../platform/refusal.ts'
import { parseTag } from '../../platform/text/ids.ts'
import { type CommandAnswer, type CommandSpec, command } from './frame/command.ts'
import { type CommandInput, findText, getCommandMerchant, parseAmount, parseMode, requireText } from './frame/input.ts'
import { WrongUsage } from './frame/wrong-usage.ts'

function answerPayout(payout: Payout, note?: string): CommandAnswer {
  const json = presentPayout(payout)
  const { id, status, amount, fee, recipient_phone: phone } = json
  return { json, lines: [`${id} ${status}: ${amount} to ${phone}, fee ${fee}${note ? ` (${note})` : ''}`] }
}

type KeyedPayout = {
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
  { action, mode, input: payoutInput, make }: KeyedPayout,
): Promise<CommandAnswer> {
  const { app, merchant } = await getCommandMerchant(input)
  const keyText = findText(input, 'key')
  const key = keyText === undefined ? undefined : `${action} ${mode} ${keyText}`
  const before = key === undefined ? null : await findPayout(app, merchant.id, payoutIdForKey(merchant.tag, key))
  if (before !== null) return replayPayout(before, payoutInput)
  const makeNow = async () => answerPayout(await make(key))
  if (key === undefined) return makeNow()
  return onUniqueViolation(makeNow, async (error) => {
    // Another command with this key stored its payout first.
    const payout = await findPayout(app, merchant.id, payoutIdForKey(merchant.tag, key))
    if (payout === null) throw error
    return replayPayout(payout, payoutInput)
  })
}

function replayPayout(payout: Payout, { amount, subaccountId }: KeyedPayout['input']): CommandAnswer {
  if (payout.amount !== amount || payout.subaccountId !== subaccountId) throw keyReused()
  return answerPayout(payout, 'made before with this key')
}

const subaccountPayout = command({
  usage: 'subaccounts payout <m> --subaccount S --amount N [--mode test|live] [--key K]',
  says: "pay a subaccount's money out to its payout_phone",
  async run(input) {
    const { app, merchant } = await getCommandMerchant(input)
    const mode = parseMode(input)
    const holder = { merchantId: merchant.id, tag: merchant.tag, mode }
    const payoutInput = {
      subaccountId: requireText(input, 'subaccount'),
      amount: parseAmount(requireText(input, 'amount')),
    }
    const make = (key: string | undefined) => payOutSubaccount(app, input.actor, { holder, ...payoutInput, key })
    return oncePerKey(input, { action: 'subaccounts payout', mode, input: payoutInput, make })
  },
})

const subaccountStatus = (verb: string, status: SubaccountStatus): CommandSpec =>
  command({
    usage: `subaccounts ${verb} <m> --subaccount S`,
    says: status === 'active' ? 'let splits name it again' : 'refuse it in new splits; its money stays its own',
    async run(input) {
      const { app, merchant } = await getCommandMerchant(input)
      const id = requireText(input, 'subaccount')
      if (parseTag('sub_', id) !== merchant.tag) throw notFound('subaccount')
      const { name } = await setSubaccountStatus(app, input.actor, { merchantId: merchant.id, id, status })
      return { json: { id, name, status }, lines: [`${id} ${name} is ${status}`] }
    },
  })

const presentNumber = ({ phone, verified, waitsUntil }: WithdrawalNumber) => ({
  ...{ phone, verified, waits_until: waitsUntil },
})

const withdrawalNumber = command({
  usage: 'withdrawals number <m> [--phone P]',
  says: "where the merchant's own money may go; with --phone: set it, and a new number has to be verified",
  async run(input) {
    const { app, merchant } = await getCommandMerchant(input)
    const phone = findText(input, 'phone')
    const number =
      phone === undefined
        ? await getWithdrawalNumber(app, merchant.id)
        : await setWithdrawalNumber(app, input.actor, { merchantId: merchant.id, phone })
    const waits = findWaitReason(app, number)
    const state = number.verified ? 'verified' : 'not yet verified'
    return {
      json: presentNumber(number),
      lines: [`${number.phone} (${state})`, ...(waits === null ? [] : [waits])],
    }
  },
})

const verifyNumber = command({
  usage: 'withdrawals verify-number <m> --phone P',
  says: 'an operator has made sure that this number is the merchant’s; refused when another one was set meanwhile',
  async run(input) {
    const { app, merchant } = await getCommandMerchant(input)
    const checked = { merchantId: merchant.id, phone: requireText(input, 'phone') }
    const number = await verifyWithdrawalNumber(app, input.actor, checked)
    return { json: presentNumber(number), lines: [`${number.phone} is verified`] }
  },
})

const requestCommand = command({
  usage: 'withdrawals request <m> --amount N [--key K]',
  says: "ask for live money on the merchant's own verified number; it waits for approval",
  async run(input) {
    const { app, merchant } = await getCommandMerchant(input)
    const amount = parseAmount(requireText(input, 'amount'))
    const make = (key: string | undefined) =>
      requestWithdrawal(app, input.actor, { merchantId: merchant.id, amount, key })
    const payoutInput = { amount, subaccountId: null }
    return oncePerKey(input, { action: 'withdrawals request', mode: 'live', input: payoutInput, make })
  },
})

const decide = (verb: string, decision: WithdrawalDecision, says: string): CommandSpec =>
  command({
    usage: `withdrawals ${verb} --id W${decision === 'rejected' ? ' [--note N]' : ''}`,
    says,
    unshown: ['note'],
    async run(input) {
      const id = requireText(input, 'id')
      const { app, merchant } = await findOwner(input, id)
      const note = findText(input, 'note') ?? null
      await decideWithdrawal(app, input.actor, { merchantId: merchant.id, id, decision, note })
      const payout = await findPayout(app, merchant.id, id)
      if (payout === null) throw notFound('withdrawal')
      return answerPayout(payout, decision)
    },
  })

/** The merchant of this withdrawal, from its id. */
async function findOwner(input: CommandInput, id: string) {
  const tag = parseTag('pout_', id)
  if (tag === null) throw new WrongUsage('--id must look like pout_...')
  return getMerchantOfTag(input.gateway, { tag, noun: 'withdrawal' })
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
