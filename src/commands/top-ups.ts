import { listTopUps } from '../top-ups/find-top-ups.ts'
import { requestTopUp } from '../top-ups/request-top-up.ts'
import { presentTopUp, type TopUp } from '../top-ups/top-up.ts'
import { command, rowsAnswer } from './command.ts'
import { amountOf, keyOf, ofMerchant, required } from './input.ts'

const LONGEST_KEY = 200

const lineOf = ({ id, status, amount, phone, failureReason }: TopUp) =>
  `${id} ${status}: ${amount} from ${phone}${failureReason === null ? '' : `, ${failureReason}`}`

const request = command({
  usage: 'top-ups request <m> --amount N --phone P [--key K]',
  says: 'ask a phone for live money that goes straight to available; its owner agrees with the PIN',
  async run(input) {
    const order = {
      amount: amountOf(required(input, 'amount')),
      phone: required(input, 'phone'),
      key: keyOf(input, LONGEST_KEY),
    }
    const { app, merchant } = await ofMerchant(input)
    const { topUp, made } = await requestTopUp(app, input.actor, { merchantId: merchant.id, ...order })
    return {
      json: presentTopUp(topUp),
      lines: [`${lineOf(topUp)}${made ? '' : ' (made before with this key)'}`],
    }
  },
})

const list = command({
  usage: 'top-ups list <m>',
  says: 'the newest hundred, with their outcome',
  async run(input) {
    const { app, merchant } = await ofMerchant(input)
    const topUps = await listTopUps(app, merchant.id)
    return rowsAnswer(topUps, { none: 'there are none', shown: presentTopUp, lines: lineOf })
  },
})

export const topUpCommands = [request, list]
