import { createHash } from 'node:crypto'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { newId, newTag } from '../platform/ids.ts'
import { sealedColumn } from '../platform/rewrap.ts'
import type { Binding, Vault } from '../platform/secrets.ts'
import type { Template } from './texts.ts'

/** A mail: to whom, which text, and what it is filled with. */
export type Mail = {
  to: string
  template: Template
  values: Readonly<Record<string, string>>
  at: Date
  /** What makes it one mail, however often it is written; without it every call is a mail of its own. */
  once?: string
}

const ADD = statement(
  'add mail',
  'insert into mails (id, recipient, template, sealed, due_at, created_at) values ($1, $2, $3, $4, $5, $5) on conflict (id) do nothing',
)

/** What the values of a mail are bound to. */
export const mailBinding = (id: string): Binding => ({
  merchantId: null,
  purpose: id,
  column: 'mails.sealed',
})

/** The values of mails that wait. */
export const SEALED_MAILS = sealedColumn({
  table: 'mails',
  column: 'sealed',
  part: 't.id',
  owned: false,
  bindingOf: ({ part }) => mailBinding(part),
})

/** The row of a mail, to be sent in the transaction of what it tells of (directory). It is delivered after the commit. */
export function addMail({ vault }: { vault: Vault }, { to, template, values, at, once }: Mail): Call {
  const id = once === undefined ? newId('mail_', newTag()) : idOf(once)
  const sealed = vault.seal(JSON.stringify(values), mailBinding(id))
  return call(ADD, id, to, template, sealed, at.toISOString())
}

const idOf = (once: string) => `mail_${createHash('sha256').update(once).digest('hex').slice(0, 21)}`
