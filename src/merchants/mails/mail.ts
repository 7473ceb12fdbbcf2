import { createHash } from 'node:crypto'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { defineSealedColumn } from '../../platform/rewrap.ts'
import type { SecretBinding, Vault } from '../../platform/secrets.ts'
import { newId, newTag } from '../../platform/text/ids.ts'
import type { Template } from './texts.ts'

/** A mail to write: recipient, template and the values that fill it. */
export type Mail = {
  to: string
  template: Template
  values: Readonly<Record<string, string>>
  at: Date
  /** Idempotency key: writes with the same one are one mail. Without it every call is a mail of its own. */
  once?: string
}

const ADD = statement(
  'add mail',
  'insert into mails (id, recipient, template, sealed, due_at, created_at) values ($1, $2, $3, $4, $5, $5) on conflict (id) do nothing',
)

const DROP_MAILS = statement('drop mails', 'delete from mails where id = any($1)')

/** Returns the binding under which the values of a mail are sealed. */
export const mailBinding = (id: string): SecretBinding => ({
  merchantId: null,
  purpose: id,
  column: 'mails.sealed',
})

/** The sealed values of mails that wait. */
export const SEALED_MAILS = defineSealedColumn({
  table: 'mails',
  column: 'sealed',
  part: 't.id',
  owned: false,
  bindingOf: ({ part }) => mailBinding(part),
})

/** Adds a mail. Send the call in the transaction of the event it reports (directory); it is delivered after the commit. */
export function addMail({ vault }: { vault: Vault }, { to, template, values, at, once }: Mail): Call {
  const id = once === undefined ? newId('mail_', newTag()) : makeMailId(once)
  const sealed = vault.seal(JSON.stringify(values), mailBinding(id))
  return call(ADD, id, to, template, sealed, at.toISOString())
}

/** Deletes the mails that were written under these keys, sent or not (directory): nothing is kept of whom they went to. */
export const dropMails = (keys: readonly string[]): Call => call(DROP_MAILS, keys.map(makeMailId))

const makeMailId = (once: string) => `mail_${createHash('sha256').update(once).digest('hex').slice(0, 21)}`
