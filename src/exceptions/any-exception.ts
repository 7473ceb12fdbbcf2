import { type Actor, nameOf } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { App, Gateway } from '../app.ts'
import { findMerchantOfTag } from '../merchants/set-merchant.ts'
import type { Database } from '../platform/db/database.ts'
import { tagOf } from '../platform/ids.ts'
import { notFound } from '../platform/refusal.ts'
import { addExceptionNote, type ExceptionNote, notesOf } from './notes.ts'
import {
  assignPlatformException,
  findPlatformException,
  isPlatformException,
  type PlatformException,
  resolvePlatformException,
} from './platform-exceptions.ts'
import type { ByOnePerson } from './resolution.ts'
import {
  assignException,
  findException,
  type OpenedException,
  resolveException,
} from './resolve-exception.ts'

/** Where an exception is: in the cell of its merchant, or in the directory (`app` null, `merchantId` 0). */
export type ExceptionPlace = { app: App | null; db: Database; merchantId: number; id: string }

/** One that is no merchant's, in the form of the others. */
export const ofPlatform = (platformException: PlatformException): OpenedException => ({
  ...platformException,
  merchantId: 0,
  merchant: null,
  mode: 'live',
  foundBy: null,
})

/** The place that an id names. Throws 404. */
export async function placeOfException(gateway: Gateway, id: string): Promise<ExceptionPlace> {
  if (isPlatformException(id)) return { app: null, db: gateway.directory, merchantId: 0, id }
  const tag = tagOf('exc_', id)
  if (tag === null) throw notFound('exception')
  const { app, merchant } = await findMerchantOfTag(gateway, { tag, noun: 'exception' })
  return { app, db: app.db, merchantId: merchant.id, id }
}

/** An exception wherever it is, with what was noted about it. Throws 404. */
export async function getException(
  gateway: Gateway,
  id: string,
): Promise<{ place: ExceptionPlace; exception: OpenedException; notes: ExceptionNote[] }> {
  const place = await placeOfException(gateway, id)
  const exception =
    place.app === null ? await platformOne(gateway, id) : await findException(place.app, place.merchantId, id)
  if (exception === null) throw notFound('exception')
  const noted = notesOf(place)
  return { place, exception, notes: await place.db.query(noted.statement, noted.values) }
}

async function platformOne({ directory }: Gateway, id: string): Promise<OpenedException | null> {
  const found = await findPlatformException(directory, id)
  return found === null ? null : ofPlatform(found)
}

/** Closes one with a person's word, wherever it is. Throws Refusal. */
export async function resolveAny(
  gateway: Gateway,
  actor: Actor,
  { id, note, resolution }: { id: string; note: string; resolution: ByOnePerson },
): Promise<OpenedException> {
  const { app, merchantId } = await placeOfException(gateway, id)
  if (app !== null) return resolveException(app, actor, { merchantId, id, note, resolution })
  return ofPlatform(await resolvePlatformException(gateway, actor, { id, note, resolution }))
}

/** Says who looks after one. Throws Refusal. */
export async function assignAny(
  gateway: Gateway,
  actor: Actor,
  { id, owner }: { id: string; owner: string },
): Promise<OpenedException> {
  const { app, merchantId } = await placeOfException(gateway, id)
  if (app !== null) return assignException(app, actor, { merchantId, id, owner })
  return ofPlatform(await assignPlatformException(gateway, actor, { id, owner }))
}

/** Adds a note to one, open or resolved. Throws Refusal. */
export async function noteOnException(
  gateway: Gateway,
  actor: Actor,
  { id, text }: { id: string; text: string },
): Promise<void> {
  allow(actor, 'exception.note')
  const { place, exception } = await getException(gateway, id)
  const at = gateway.clock.now()
  const { mode } = exception
  const merchantId = place.app === null ? null : place.merchantId
  const act = { actor, action: 'exception.note', at, merchantId, mode } as const
  await place.db.transaction(async (tx) => {
    await tx.send(addExceptionNote({ ...place, at, by: nameOf(actor), kind: 'note', text }))
    return { value: null, last: [auditRow({ ...act, subject: id })] }
  })
}
