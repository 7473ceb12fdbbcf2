import { listTopUps } from '../../payments/top-ups/find-top-ups.ts'
import { requestTopUp } from '../../payments/top-ups/request-top-up.ts'
import { presentTopUp, type TopUp } from '../../payments/top-ups/top-up.ts'
import { answerRows, command } from './frame/command.ts'
import { getCommandMerchant, parseAmount, parseKey, requireText } from './frame/input.ts'

const MAX_KEY_LENGTH = 200

const formatTopUp = ({ id, status, amount, phone, failureReason }: TopUp) =>
  `${id} ${status}: ${amount} from ${phone}${failureReason === null ? '' : `, ${failureReason}`}`

const request = command({
  usage: 'top-ups request <m> --amount N --phone P [--key K]',
  says: 'ask a phone for live money that goes straight to available; its owner agrees with the PIN',
  async run(input) {
    const order = {
      amount: parseAmount(requireText(input, 'amount')),
      phone: requireText(input, 'phone'),
      key: parseKey(input, MAX_KEY_LENGTH),
    }
    const { app, merchant } = await getCommandMerchant(input)
    const { topUp, made } = await requestTopUp(app, input.actor, { merchantId: merchant.id, ...order })
    return {
      json: presentTopUp(topUp),
      lines: [`${formatTopUp(topUp)}${made ? '' : ' (made before with this key)'}`],
    }
  },
})

const list = command({
  usage: 'top-ups list <m>',
  says: 'the newest hundred, with their outcome',
  async run(input) {
    const { app, merchant } = await getCommandMerchant(input)
    const topUps = await listTopUps(app, merchant.id)
    return answerRows(topUps, { none: 'there are none', present: presentTopUp, lines: formatTopUp })
  },
})

export const topUpCommands = [request, list]
