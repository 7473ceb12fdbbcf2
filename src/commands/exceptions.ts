import {
  assignPlatformException,
  isPlatformException,
  openPlatformExceptions,
  type PlatformException,
  resolvePlatformException,
} from '../exceptions/platform-exceptions.ts'
import {
  assignException,
  type OpenedException,
  openExceptions,
  resolveException,
} from '../exceptions/resolve-exception.ts'
import { findMerchant, findMerchantOfTag } from '../merchants/set-merchant.ts'
import { endLost } from '../reconciliation/end-lost.ts'
import { command, rowsAnswer } from './command.ts'
import { type CommandInput, optionalText, required } from './input.ts'
import { WrongUsage } from './wrong-usage.ts'

const shown = (one: OpenedException) => ({
  id: one.id,
  merchant: one.merchant,
  mode: one.mode,
  kind: one.kind,
  severity: one.severity,
  subject: one.subject,
  state: one.closedAt === null ? 'open' : 'resolved',
  owner: one.owner,
  seen_count: one.seenCount,
  details: one.details,
  opened_at: one.openedAt.toISOString(),
  last_seen_at: one.lastSeenAt.toISOString(),
  closed_at: one.closedAt?.toISOString() ?? null,
  note: one.note,
  resolved_by: one.resolvedBy,
})

const list = command({
  usage: 'exceptions list [--merchant <m>]',
  says: 'breaks between what we hold and what others say that nobody has resolved yet',
  async run(input) {
    const name = optionalText(input, 'merchant')
    const own = name === undefined ? null : await findMerchant(input.gateway, name)
    const cells = own === null ? input.gateway.cells : [own.app]
    const found = await Promise.all(cells.map((app) => openExceptions(app, own?.merchant.id ?? null)))
    const platform = own === null ? await openPlatformExceptions(input.gateway.directory) : []
    return rowsAnswer([...found.flat(), ...platform.map(ofPlatform)], {
      none: 'nothing is open',
      shown,
      lines: ({ id, mode, kind, subject, openedAt }) =>
        `${id} ${mode} ${kind} about ${subject}, since ${openedAt.toISOString()}`,
    })
  },
})

/** One that is no merchant's, in the form of the others. */
const ofPlatform = (one: PlatformException): OpenedException => ({
  ...one,
  merchantId: 0,
  merchant: null,
  mode: 'live',
})

/** The exception that `--id` names, in its cell. */
async function namedException(input: CommandInput) {
  const id = required(input, 'id')
  const tag = /^exc_([a-z0-9]{5})[a-z0-9]{16,}$/.exec(id)?.[1]
  if (tag === undefined) throw new WrongUsage('--id must look like exc_...')
  const { app, merchant } = await findMerchantOfTag(input.gateway, { tag, noun: 'exception' })
  return { app, merchantId: merchant.id, id }
}

const resolve = command({
  usage: 'exceptions resolve --id X --note N',
  says: 'close one; the last critical one lifts the pause of its account',
  async run(input) {
    const note = required(input, 'note')
    const id = required(input, 'id')
    if (isPlatformException(id)) {
      const resolved = await resolvePlatformException(input.gateway, input.actor, { id, note })
      return { json: shown(ofPlatform(resolved)), lines: [`${id} is resolved`] }
    }
    const { app, ...place } = await namedException(input)
    const resolved = await resolveException(app, input.actor, { ...place, note })
    return { json: shown(resolved), lines: [`${place.id} is resolved`] }
  },
})

const assign = command({
  usage: 'exceptions assign --id X --owner NAME',
  says: 'say who looks after one',
  async run(input) {
    const owner = required(input, 'owner')
    const id = required(input, 'id')
    if (isPlatformException(id)) {
      const assigned = await assignPlatformException(input.gateway, input.actor, { id, owner })
      return { json: shown(ofPlatform(assigned)), lines: [`${owner} looks after ${id}`] }
    }
    const { app, ...place } = await namedException(input)
    const assigned = await assignException(app, input.actor, { ...place, owner })
    return { json: shown(assigned), lines: [`${owner} looks after ${place.id}`] }
  },
})

const endLostMovement = command({
  usage: 'exceptions end-lost --id X --note N',
  says: 'fail a movement that its operator never had, by a statement that covers its time; its money goes back',
  async run(input) {
    const note = required(input, 'note')
    const { app, ...place } = await namedException(input)
    const resolved = await endLost(app, input.actor, { ...place, note })
    return { json: shown(resolved), lines: [`${resolved.subject} has failed, and ${place.id} is resolved`] }
  },
})

export const exceptionCommands = [list, assign, resolve, endLostMovement]
