import { notFound } from '../../platform/refusal.ts'
import { parseTag } from '../../platform/text/ids.ts'
import { answerDispute } from '../../selling/disputes/answer-dispute.ts'
import { closeDispute, listDisputes } from '../../selling/disputes/close-dispute.ts'
import type { Dispute } from '../../selling/disputes/dispute.ts'
import { answerRows, command } from './frame/command.ts'
import { findText, getCommandMerchant, getMerchantAndId, parseChoice, requireText } from './frame/input.ts'

// A list on a terminal is complete.
const NO_LIMIT = 1_000_000

const presentDispute = (dispute: Dispute) => ({
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

function formatDispute(dispute: Dispute): string[] {
  const { id, mode, chargeId, reason, openedAt, respondBy, closedAt, details, contact } = dispute
  const state = closedAt === null ? `answer by ${respondBy.toISOString()}` : `closed ${closedAt.toISOString()}`
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
    const modeText = findText(input, 'mode')
    const mode = modeText === undefined ? null : parseChoice('mode', modeText, ['test', 'live'])
    const { app, merchant } = await getCommandMerchant(input)
    const disputes = await listDisputes(app, merchant.id, {
      ...{ mode, state: input.options.open === true ? 'unclosed' : null, limit: NO_LIMIT },
    })
    return answerRows(disputes, {
      none: 'nothing was reported',
      present: presentDispute,
      lines: formatDispute,
    })
  },
})

const close = command({
  usage: 'disputes close <m> --dispute D',
  says: 'it was settled with the customer; a closed one never changes',
  async run(input) {
    const { app, merchant, id } = await getMerchantAndId(input, 'dispute')
    if (parseTag('dsp_', id) !== merchant.tag) throw notFound('dispute')
    const { dispute } = await closeDispute(app, input.actor, { merchantId: merchant.id, id })
    return { json: presentDispute(dispute), lines: [`${id} is closed`] }
  },
})

const answer = command({
  usage: 'disputes answer <m> --dispute D --text T [--key K]',
  says: 'tell the customer something: on the page of the report, and by mail where an address was left',
  unshown: ['text'],
  async run(input) {
    const says = requireText(input, 'text')
    const key = findText(input, 'key')
    const { merchant, app, id } = await getMerchantAndId(input, 'dispute')
    if (parseTag('dsp_', id) !== merchant.tag) throw notFound('dispute')
    const once = key === undefined ? {} : { once: `command ${key}` }
    const made = await answerDispute(app, input.actor, { merchant, id, says, ...once })
    const json = { id: made.id, dispute: id, says: made.says, said_at: made.saidAt.toISOString() }
    return { json, lines: [`${id} is answered`] }
  },
})

export const disputeCommands = [list, answer, close]
