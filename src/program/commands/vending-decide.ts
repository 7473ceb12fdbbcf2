import { actingFor } from '../../api/access/actor.ts'
import { notFound } from '../../platform/refusal.ts'
import { parseTag } from '../../platform/text/ids.ts'
import { decideOrder } from '../../selling/vending/dispensing/decide-order.ts'
import { MACHINE_BUTTONS, pressMachine } from '../../selling/vending/dispensing/press-machine.ts'
import { presentOrder } from '../../selling/vending/orders/order.ts'
import { command } from './frame/command.ts'
import { getCommandMerchant, parseChoice, requireText } from './frame/input.ts'

const decide = command({
  usage: 'vending decide <m> --order O --outcome delivered|not-delivered',
  says: 'end an order whose machine never reported; one that was not delivered can be dispensed again or refunded',
  async run(input) {
    const id = requireText(input, 'order')
    const decision = parseChoice('outcome', requireText(input, 'outcome'), ['delivered', 'not-delivered'])
    const { app, merchant } = await getCommandMerchant(input)
    if (parseTag('lnk_', id) !== merchant.tag) throw notFound('vending order')
    const order = await decideOrder(app, input.actor, { merchantId: merchant.id, id, decision })
    return {
      json: presentOrder(order, { baseUrl: app.baseUrl, at: app.clock.now() }),
      lines: [`${id} is ${order.vendingStatus}`],
    }
  },
})

const machine = command({
  usage: 'sandbox machine <m> --order O --button dispensed|partly|jam|silent',
  says: 'what the simulated machine of a test order reports; silent: not what its number says',
  async run(input) {
    const id = requireText(input, 'order')
    const button = parseChoice('button', requireText(input, 'button'), MACHINE_BUTTONS)
    const { app, merchant } = await getCommandMerchant(input)
    const account = { merchantId: merchant.id, tag: merchant.tag, cell: app.cell, mode: 'test' } as const
    const order = await pressMachine(app, actingFor(input.actor, account), { id, button })
    return {
      json: presentOrder(order, { baseUrl: app.baseUrl, at: app.clock.now() }),
      lines: [`${id} is ${order.vendingStatus}`],
    }
  },
})

export const vendingDecideCommands = [decide, machine]
