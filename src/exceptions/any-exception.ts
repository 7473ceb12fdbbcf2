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

/** The database that holds an exception: the cell of its merchant, or the directory (`app` null, `merchantId` 0). */
type ExceptionPlace = { app: App | null; db: Database; merchantId: number; id: string }

/** Presents an exception of the platform in the form of merchants' exceptions. */
export const ofPlatform = (platformException: PlatformException): OpenedException => ({
  ...platformException,
  merchantId: 0,
  merchant: null,
  mode: 'live',
  foundBy: null,
})

/** Finds the database of an exception by its id. Throws 404. */
export async function placeOfException(gateway: Gateway, id: string): Promise<ExceptionPlace> {
  if (isPlatformException(id)) return { app: null, db: gateway.directory, merchantId: 0, id }
  const tag = tagOf('exc_', id)
  if (tag === null) throw notFound('exception')
  const { app, merchant } = await findMerchantOfTag(gateway, { tag, noun: 'exception' })
  return { app, db: app.db, merchantId: merchant.id, id }
}

/** Reads an exception of a merchant or of the platform, with its notes. Throws 404. */
export async function getException(
  gateway: Gateway,
  id: string,
): Promise<{ place: ExceptionPlace; exception: OpenedException; notes: ExceptionNote[] }> {
  const place = await placeOfException(gateway, id)
  const exception =
    place.app === null ? await platformOne(gateway, id) : await findException(place.app, place.merchantId, id)
  if (exception === null) throw notFound('exception')
  const list = notesOf(place)
  return { place, exception, notes: await place.db.query(list.statement, list.values) }
}

async function platformOne({ directory }: Gateway, id: string): Promise<OpenedException | null> {
  const exception = await findPlatformException(directory, id)
  return exception === null ? null : ofPlatform(exception)
}

/** Resolves an exception of a merchant or of the platform with a person's note. Throws Refusal. */
export async function resolveAny(
  gateway: Gateway,
  actor: Actor,
  { id, note, resolution }: { id: string; note: string; resolution: ByOnePerson },
): Promise<OpenedException> {
  const { app, merchantId } = await placeOfException(gateway, id)
  if (app !== null) return resolveException(app, actor, { merchantId, id, note, resolution })
  return ofPlatform(await resolvePlatformException(gateway, actor, { id, note, resolution }))
}

/** Sets who looks after an exception of a merchant or of the platform. Throws Refusal. */
export async function assignAny(
  gateway: Gateway,
  actor: Actor,
  { id, owner }: { id: string; owner: string },
): Promise<OpenedException> {
  const { app, merchantId } = await placeOfException(gateway, id)
  if (app !== null) return assignException(app, actor, { merchantId, id, owner })
  return ofPlatform(await assignPlatformException(gateway, actor, { id, owner }))
}

/** Adds a note to an exception, open or resolved. Throws Refusal. */
export async function noteOnException(
  gateway: Gateway,
  actor: Actor,
  { id, text }: { id: string; text: string },
): Promise<void> {
  allow(actor, 'exception.note')
  const { place: location, exception } = await getException(gateway, id)
  const at = gateway.clock.now()
  const { mode } = exception
  const merchantId = location.app === null ? null : location.merchantId
  const act = { actor, action: 'exception.note', at, merchantId, mode } as const
  await location.db.transaction(async (tx) => {
    await tx.send(addExceptionNote({ ...location, at, by: nameOf(actor), kind: 'note', text }))
    return { value: null, last: [auditRow({ ...act, subject: id })] }
  })
}
