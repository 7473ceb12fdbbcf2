import type { Actor } from '../../api/access/actor.ts'
import { getMerchantNamed } from '../../merchants/account/set-merchant.ts'
import { askAcceptance } from '../../operations/approvals/accept-breach.ts'
import type { Asker } from '../../operations/approvals/ask-for-approval.ts'
import { askEndAsTold } from '../../operations/reconciliation/end-as-told.ts'
import { endLost } from '../../operations/reconciliation/end-lost.ts'
import {
  asOpenedException,
  assignAnyException,
  locateException,
  resolveAnyException,
} from '../../payments/exceptions/any-exception.ts'
import { readOpenPlatformExceptions } from '../../payments/exceptions/platform-exceptions.ts'
import { ONE_PERSON_RESOLUTIONS } from '../../payments/exceptions/resolution.ts'
import { type OpenedException, readOpenExceptions } from '../../payments/exceptions/resolve-exception.ts'
import { assert } from '../../platform/assert.ts'
import { notFound } from '../../platform/refusal.ts'
import { answerRows, command } from './frame/command.ts'
import { type CommandInput, findText, parseChoice, requireText } from './frame/input.ts'
import { WrongUsage } from './frame/wrong-usage.ts'

const presentException = (openedException: OpenedException) => ({
  id: openedException.id,
  merchant: openedException.merchant,
  mode: openedException.mode,
  kind: openedException.kind,
  severity: openedException.severity,
  subject: openedException.subject,
  state: openedException.closedAt === null ? 'open' : 'resolved',
  owner: openedException.owner,
  found_by: openedException.foundBy,
  seen_count: openedException.seenCount,
  details: openedException.details,
  opened_at: openedException.openedAt.toISOString(),
  last_seen_at: openedException.lastSeenAt.toISOString(),
  closed_at: openedException.closedAt?.toISOString() ?? null,
  note: openedException.note,
  resolved_by: openedException.resolvedBy,
  resolution: openedException.resolution,
})

const list = command({
  usage: 'exceptions list [--merchant <m>]',
  says: 'breaks between what we hold and what others say that nobody has resolved yet',
  async run(input) {
    const name = findText(input, 'merchant')
    const own = name === undefined ? null : await getMerchantNamed(input.gateway, name)
    const cells = own === null ? input.gateway.cells : [own.app]
    const ofMerchants = await Promise.all(cells.map((app) => readOpenExceptions(app, own?.merchant.id ?? null)))
    const platform = own === null ? await readOpenPlatformExceptions(input.gateway.directory) : []
    return answerRows([...ofMerchants.flat(), ...platform.map(asOpenedException)], {
      none: 'nothing is open',
      present: presentException,
      lines: ({ id, mode, kind, subject, openedAt }) =>
        `${id} ${mode} ${kind} about ${subject}, since ${openedAt.toISOString()}`,
    })
  },
})

function parseExceptionId(input: CommandInput): string {
  const id = requireText(input, 'id')
  if (!/^exc_[a-z0-9]{21,}$/.test(id)) throw new WrongUsage('--id must look like exc_...')
  return id
}

const resolve = command({
  usage: 'exceptions resolve --id X --note N [--resolution R]',
  says: 'close one: refunded_outside, operator_corrected or no_difference (the default); the last critical one lifts the pause of its account',
  async run(input) {
    const note = requireText(input, 'note')
    const id = parseExceptionId(input)
    const resolution = parseChoice(
      'resolution',
      findText(input, 'resolution') ?? 'no_difference',
      ONE_PERSON_RESOLUTIONS,
    )
    const resolved = await resolveAnyException(input.gateway, input.actor, { id, note, resolution })
    return { json: presentException(resolved), lines: [`${id} is resolved`] }
  },
})

const assign = command({
  usage: 'exceptions assign --id X --owner NAME',
  says: 'say who looks after one',
  async run(input) {
    const owner = requireText(input, 'owner')
    const id = parseExceptionId(input)
    const assigned = await assignAnyException(input.gateway, input.actor, { id, owner })
    return { json: presentException(assigned), lines: [`${owner} looks after ${id}`] }
  },
})

const endLostMovement = command({
  usage: 'exceptions end-lost --id X --note N',
  says: 'fail a movement that its operator never had, by a statement that covers its time; its money goes back',
  async run(input) {
    const note = requireText(input, 'note')
    const { app, merchantId, id } = await locateException(input.gateway, parseExceptionId(input))
    if (app === null) throw notFound('movement')
    const resolved = await endLost(app, input.actor, { merchantId, id, note })
    return {
      json: presentException(resolved),
      lines: [`${resolved.subject} has failed, and ${id} is resolved`],
    }
  },
})

const accept = command({
  usage: 'exceptions accept --id X --reason R',
  says: 'ask for a ledger_breach that stays in the books to be accepted; an operator approves it on the console',
  async run(input) {
    const { gateway, actor } = input
    const reason = requireText(input, 'reason')
    const exception = parseExceptionId(input)
    const { id, expiresAt } = await askAcceptance(gateway, requireCommandActor(actor), { exception, reason })
    return {
      json: { id, exception, status: 'waiting', expires_at: expiresAt.toISOString() },
      lines: [
        `${id} waits for an operator, until ${expiresAt.toISOString()}: ${gateway.config.baseUrl}/console/approvals/${id}`,
      ],
    }
  },
})

const endAsTold = command({
  usage: 'exceptions end-as-told --id X --told T --reason R',
  says: 'ask an operator to approve, on the console, that a movement ends as its operator reports it: succeeded, with a correction of the difference',
  async run(input) {
    const [told, reason] = [requireText(input, 'told'), requireText(input, 'reason')]
    const request = { exception: parseExceptionId(input), told, reason }
    const { id, expiresAt } = await askEndAsTold(input.gateway, input.actor, request)
    return {
      json: { approval: id, expires_at: expiresAt.toISOString() },
      lines: [`${id} waits until ${expiresAt.toISOString()} for an operator to approve it on the console`],
    }
  },
})

function requireCommandActor(actor: Actor): Asker {
  assert(actor.kind === 'command', 'commands are run by whoever runs the machine')
  return actor
}

export const exceptionCommands = [list, assign, resolve, accept, endLostMovement, endAsTold]
