import { type Actor, actorName } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { getMerchantOfTag } from '../../merchants/account/set-merchant.ts'
import type { Database } from '../../platform/db/database.ts'
import { notFound } from '../../platform/refusal.ts'
import { parseTag } from '../../platform/text/ids.ts'
import type { App, Gateway } from '../../program/app.ts'
import { addExceptionNote, type ExceptionNote, listExceptionNotes } from './notes.ts'
import {
  assignPlatformException,
  findPlatformException,
  isPlatformException,
  type PlatformException,
  resolvePlatformException,
} from './platform-exceptions.ts'
import type { OnePersonResolution } from './resolution.ts'
import { assignException, findException, type OpenedException, resolveException } from './resolve-exception.ts'

/** The database that holds an exception: the cell of its merchant, or the directory (`app` null, `merchantId` 0). */
type ExceptionLocation = { app: App | null; db: Database; merchantId: number; id: string }

/** Presents an exception of the platform in the form of merchants' exceptions. */
export const asOpenedException = (platformException: PlatformException): OpenedException => ({
  ...platformException,
  merchantId: 0,
  merchant: null,
  mode: 'live',
  foundBy: null,
})

/** Finds the database of an exception by its id. Throws 404. */
export async function locateException(gateway: Gateway, id: string): Promise<ExceptionLocation> {
  if (isPlatformException(id)) return { app: null, db: gateway.directory, merchantId: 0, id }
  const tag = parseTag('exc_', id)
  if (tag === null) throw notFound('exception')
  const { app, merchant } = await getMerchantOfTag(gateway, { tag, noun: 'exception' })
  return { app, db: app.db, merchantId: merchant.id, id }
}

/** Reads an exception of a merchant or of the platform, with its notes. Throws 404. */
export async function getException(
  gateway: Gateway,
  id: string,
): Promise<{ location: ExceptionLocation; exception: OpenedException; notes: ExceptionNote[] }> {
  const place = await locateException(gateway, id)
  const exception =
    place.app === null ? await findOnPlatform(gateway, id) : await findException(place.app, place.merchantId, id)
  if (exception === null) throw notFound('exception')
  const list = listExceptionNotes(place)
  return { location: place, exception, notes: await place.db.query(list.statement, list.values) }
}

async function findOnPlatform({ directory }: Gateway, id: string): Promise<OpenedException | null> {
  const exception = await findPlatformException(directory, id)
  return exception === null ? null : asOpenedException(exception)
}

/** Resolves an exception of a merchant or of the platform with a person's note. Throws Refusal. */
export async function resolveAnyException(
  gateway: Gateway,
  actor: Actor,
  { id, note, resolution }: { id: string; note: string; resolution: OnePersonResolution },
): Promise<OpenedException> {
  const { app, merchantId } = await locateException(gateway, id)
  if (app !== null) return resolveException(app, actor, { merchantId, id, note, resolution })
  return asOpenedException(await resolvePlatformException(gateway, actor, { id, note, resolution }))
}

/** Sets who looks after an exception of a merchant or of the platform. Throws Refusal. */
export async function assignAnyException(
  gateway: Gateway,
  actor: Actor,
  { id, owner }: { id: string; owner: string },
): Promise<OpenedException> {
  const { app, merchantId } = await locateException(gateway, id)
  if (app !== null) return assignException(app, actor, { merchantId, id, owner })
  return asOpenedException(await assignPlatformException(gateway, actor, { id, owner }))
}

/** Adds a note to an exception, open or resolved. Throws Refusal. */
export async function noteOnException(
  gateway: Gateway,
  actor: Actor,
  { id, text }: { id: string; text: string },
): Promise<void> {
  allow(actor, 'exception.note')
  const { location, exception } = await getException(gateway, id)
  const at = gateway.clock.now()
  const { mode } = exception
  const merchantId = location.app === null ? null : location.merchantId
  const act = { actor, action: 'exception.note', at, merchantId, mode } as const
  await location.db.transaction(async (tx) => {
    await tx.send(addExceptionNote({ ...location, at, by: actorName(actor), kind: 'note', text }))
    return { value: null, last: [auditRow({ ...act, subject: id })] }
  })
}
