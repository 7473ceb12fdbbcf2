import { mailBinding } from '../../../src/merchants/mails/mail.ts'
import type { TestService } from '../service/test-service.ts'

/** A mail that waits to be sent. */
export type Waiting = { template: string; values: Record<string, string> }

/** The mails that wait for this address, newest first. */
export async function mailsTo(service: TestService, address: string): Promise<Waiting[]> {
  const rows = await service.rows<{ id: string; template: string; sealed: Buffer }>(
    `select id, template, sealed from mails where lower(recipient) = lower($1) and sealed is not null
     order by created_at desc, id`,
    [address],
  )
  return rows.map(({ id, template, sealed }) => ({
    template,
    values: JSON.parse(service.app.vault.open(sealed, mailBinding(id))),
  }))
}

/** The links in them as paths, newest first. */
export async function linksIn(service: TestService, address: string): Promise<string[]> {
  const mails = await mailsTo(service, address)
  return mails.flatMap(({ values }) => (values.link ? [values.link.slice(new URL(values.link).origin.length)] : []))
}
