import { answerDispute } from '../disputes/answer-dispute.ts'
import { closeDispute, listDisputes } from '../disputes/close-dispute.ts'
import type { Dispute } from '../disputes/dispute.ts'
import { tagOf } from '../platform/ids.ts'
import { notFound } from '../platform/refusal.ts'
import { command, rowsAnswer } from './command.ts'
import { merchantAndId, ofMerchant, oneOf, optionalText, required } from './input.ts'

// A list on a terminal is complete.
const EVERY = 1_000_000

const shown = (dispute: Dispute) => ({
  id: dispute.id,
  mode: dispute.mode,
  charge_id: dispute.chargeId,
  reason: dispute.reason,
  details: dispute.details,
  contact: dispute.contact,
  opened_at: dispute.openedAt.toISOString(),
  respond_by: dispute.respondBy.toISOString(),
  closed_at: dispute.closedAt?.toISOString() ?? null,
})

/** Makes raw input safe for a terminal: one line, without characters that move the cursor or change the reading direction. */
const onOneLine = (typed: string) => typed.replace(/[\p{C}\p{Z}]+/gu, ' ').trim()

function linesOf(dispute: Dispute): string[] {
  const { id, mode, chargeId, reason, openedAt, respondBy, closedAt, details, contact } = dispute
  const state =
    closedAt === null ? `answer by ${respondBy.toISOString()}` : `closed ${closedAt.toISOString()}`
  return [
    `${id} ${mode} ${reason} about ${chargeId}, since ${openedAt.toISOString()}, ${state}`,
    ...(details === null ? [] : [`    ${onOneLine(details)}`]),
    ...(contact === null ? [] : [`    contact: ${onOneLine(contact)}`]),
  ]
}

const list = command({
  usage: 'disputes list <m> [--mode test|live] [--open]',
  says: 'problems that customers reported about their payments, newest first',
  async run(input) {
    const modeText = optionalText(input, 'mode')
    const mode = modeText === undefined ? null : oneOf('mode', modeText, ['test', 'live'])
    const { app, merchant } = await ofMerchant(input)
    const disputes = await listDisputes(app, merchant.id, {
      ...{ mode, state: input.options.open === true ? 'unclosed' : null, most: EVERY },
    })
    return rowsAnswer(disputes, { none: 'nothing was reported', shown, lines: linesOf })
  },
})

const close = command({
  usage: 'disputes close <m> --dispute D',
  says: 'it was settled with the customer; a closed one never changes',
  async run(input) {
    const { app, merchant, id } = await merchantAndId(input, 'dispute')
    if (tagOf('dsp_', id) !== merchant.tag) throw notFound('dispute')
    const { dispute } = await closeDispute(app, input.actor, { merchantId: merchant.id, id })
    return { json: shown(dispute), lines: [`${id} is closed`] }
  },
})

const answer = command({
  usage: 'disputes answer <m> --dispute D --text T [--key K]',
  says: 'tell the customer something: on the page of the report, and by mail where an address was left',
  unshown: ['text'],
  async run(input) {
    const says = required(input, 'text')
    const key = optionalText(input, 'key')
    const { merchant, app, id } = await merchantAndId(input, 'dispute')
    if (tagOf('dsp_', id) !== merchant.tag) throw notFound('dispute')
    const once = key === undefined ? {} : { once: `command ${key}` }
    const made = await answerDispute(app, input.actor, { merchant, id, says, ...once })
    const json = { id: made.id, dispute: id, says: made.says, said_at: made.saidAt.toISOString() }
    return { json, lines: [`${id} is answered`] }
  },
})

export const disputeCommands = [list, answer, close]
