import type { Actor } from '../actors/actor.ts'
import type { Asker } from '../approvals/ask.ts'
import { askAcceptance } from '../approvals/breach.ts'
import { assignAny, ofPlatform, placeOfException, resolveAny } from '../exceptions/any-exception.ts'
import { openPlatformExceptions } from '../exceptions/platform-exceptions.ts'
import { BY_ONE_PERSON } from '../exceptions/resolution.ts'
import { type OpenedException, openExceptions } from '../exceptions/resolve-exception.ts'
import { findMerchant } from '../merchants/set-merchant.ts'
import { assert } from '../platform/assert.ts'
import { notFound } from '../platform/refusal.ts'
import { askEndAsTold } from '../reconciliation/end-as-told.ts'
import { endLost } from '../reconciliation/end-lost.ts'
import { command, rowsAnswer } from './command.ts'
import { type CommandInput, oneOf, optionalText, required } from './input.ts'
import { WrongUsage } from './wrong-usage.ts'

const shown = (openedException: OpenedException) => ({
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
    const name = optionalText(input, 'merchant')
    const own = name === undefined ? null : await findMerchant(input.gateway, name)
    const cells = own === null ? input.gateway.cells : [own.app]
    const ofMerchants = await Promise.all(cells.map((app) => openExceptions(app, own?.merchant.id ?? null)))
    const platform = own === null ? await openPlatformExceptions(input.gateway.directory) : []
    return rowsAnswer([...ofMerchants.flat(), ...platform.map(ofPlatform)], {
      none: 'nothing is open',
      shown,
      lines: ({ id, mode, kind, subject, openedAt }) =>
        `${id} ${mode} ${kind} about ${subject}, since ${openedAt.toISOString()}`,
    })
  },
})

function namedId(input: CommandInput): string {
  const id = required(input, 'id')
  if (!/^exc_[a-z0-9]{21,}$/.test(id)) throw new WrongUsage('--id must look like exc_...')
  return id
}

const resolve = command({
  usage: 'exceptions resolve --id X --note N [--resolution R]',
  says: 'close one: refunded_outside, operator_corrected or no_difference (the default); the last critical one lifts the pause of its account',
  async run(input) {
    const note = required(input, 'note')
    const id = namedId(input)
    const resolution = oneOf(
      'resolution',
      optionalText(input, 'resolution') ?? 'no_difference',
      BY_ONE_PERSON,
    )
    const resolved = await resolveAny(input.gateway, input.actor, { id, note, resolution })
    return { json: shown(resolved), lines: [`${id} is resolved`] }
  },
})

const assign = command({
  usage: 'exceptions assign --id X --owner NAME',
  says: 'say who looks after one',
  async run(input) {
    const owner = required(input, 'owner')
    const id = namedId(input)
    const assigned = await assignAny(input.gateway, input.actor, { id, owner })
    return { json: shown(assigned), lines: [`${owner} looks after ${id}`] }
  },
})

const endLostMovement = command({
  usage: 'exceptions end-lost --id X --note N',
  says: 'fail a movement that its operator never had, by a statement that covers its time; its money goes back',
  async run(input) {
    const note = required(input, 'note')
    const { app, merchantId, id } = await placeOfException(input.gateway, namedId(input))
    if (app === null) throw notFound('movement')
    const resolved = await endLost(app, input.actor, { merchantId, id, note })
    return { json: shown(resolved), lines: [`${resolved.subject} has failed, and ${id} is resolved`] }
  },
})

const accept = command({
  usage: 'exceptions accept --id X --reason R',
  says: 'ask for a ledger_breach that stays in the books to be accepted; an operator approves it on the console',
  async run(input) {
    const { gateway, actor } = input
    const reason = required(input, 'reason')
    const exception = namedId(input)
    const { id, expiresAt } = await askAcceptance(gateway, byCommand(actor), { exception, reason })
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
    const [told, reason] = [required(input, 'told'), required(input, 'reason')]
    const request = { exception: namedId(input), told, reason }
    const { id, expiresAt } = await askEndAsTold(input.gateway, input.actor, request)
    return {
      json: { approval: id, expires_at: expiresAt.toISOString() },
      lines: [`${id} waits until ${expiresAt.toISOString()} for an operator to approve it on the console`],
    }
  },
})

function byCommand(actor: Actor): Asker {
  assert(actor.kind === 'command', 'commands are run by whoever runs the machine')
  return actor
}

export const exceptionCommands = [list, assign, resolve, accept, endLostMovement, endAsTold]
