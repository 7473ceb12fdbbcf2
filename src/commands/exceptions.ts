import { type OpenedException, openExceptions, resolveException } from '../exceptions/resolve-exception.ts'
import { findMerchant, findMerchantOfTag } from '../merchants/set-merchant.ts'
import { command, rowsAnswer } from './command.ts'
import { optionalText, required } from './input.ts'
import { WrongUsage } from './wrong-usage.ts'

const shown = (one: OpenedException) => ({
  id: one.id,
  mode: one.mode,
  kind: one.kind,
  severity: one.severity,
  subject: one.subject,
  details: one.details,
  opened_at: one.openedAt.toISOString(),
  closed_at: one.closedAt?.toISOString() ?? null,
  note: one.note,
})

const list = command({
  usage: 'exceptions list [--merchant <m>]',
  says: 'breaks between what we hold and what others say that nobody has resolved yet',
  async run(input) {
    const name = optionalText(input, 'merchant')
    const own = name === undefined ? null : await findMerchant(input.gateway, name)
    const cells = own === null ? input.gateway.cells : [own.app]
    const found = await Promise.all(cells.map((app) => openExceptions(app, own?.merchant.id ?? null)))
    return rowsAnswer(found.flat(), {
      none: 'nothing is open',
      shown,
      lines: ({ id, mode, kind, subject, openedAt }) =>
        `${id} ${mode} ${kind} about ${subject}, since ${openedAt.toISOString()}`,
    })
  },
})

const resolve = command({
  usage: 'exceptions resolve --id X --note N',
  says: 'close one; the last critical one lifts the pause of its account',
  async run(input) {
    const id = required(input, 'id')
    const note = required(input, 'note')
    const tag = /^exc_([a-z0-9]{5})[a-z0-9]{16,}$/.exec(id)?.[1]
    if (tag === undefined) throw new WrongUsage('--id must look like exc_...')
    const { app, merchant } = await findMerchantOfTag(input.gateway, { tag, noun: 'exception' })
    const resolved = await resolveException(app, input.actor, { merchantId: merchant.id, id, note })
    return { json: shown(resolved), lines: [`${id} is resolved`] }
  },
})

export const exceptionCommands = [list, resolve]
