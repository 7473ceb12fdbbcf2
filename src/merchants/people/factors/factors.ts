import type { SignedInActor } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { type Call, call, type Tx } from '../../../platform/db/database.ts'
import { firstRow } from '../../../platform/db/first-row.ts'
import { statement } from '../../../platform/db/statement.ts'
import { domainRefusal, notFound, Refusal } from '../../../platform/refusal.ts'
import { newId, newTag } from '../../../platform/text/ids.ts'
import { addMs } from '../../../platform/time/clock.ts'
import type { Gateway } from '../../../program/app.ts'
import { accountMailRows } from '../account-mails.ts'
import { ownAccountRow, type Realm, realmOf } from '../accounts.ts'
import { LINKS_OF_SIGN_IN, voidLinks } from '../links.ts'
import { requirePerson } from '../own-account.ts'
import { factorBinding } from '../sealed-columns.ts'
import { forgetBrowsers } from '../sign-in/sign-in-counters.ts'
import { holdMoney, type KnownPerson, lockPerson } from '../write-accounts.ts'
import { endOtherSessions } from '../write-sessions.ts'
import { clearRecoveryCodes, findCodeStep, makeAppUri, makeRecoveryCodes, newAppSecret } from './codes.ts'

/** A second factor of a person, without its secret. */
export type Factor = {
  id: string
  kind: 'totp' | 'passkey'
  name: string
  createdAt: Date
  usedAt: Date | null
}

// An enrolment that takes longer must be started again, because its secret is shown on a page.
const ENROLMENT_MS = 15 * 60_000
const APP_NAME = 'Authenticator app'

const LIST = statement<Factor>(
  'factors of person',
  `select id, kind, name, created_at as "createdAt", used_at as "usedAt" from factors
   where person_id = $1 and confirmed_at is not null order by created_at, id limit 50`,
)
const COUNT_CODES_LEFT = statement<{ count: number }>(
  'recovery codes left',
  'select count(*)::int as count from recovery_codes where person_id = $1 and used_at is null',
)
const DROP_UNCONFIRMED = statement(
  'drop unconfirmed apps',
  `delete from factors where person_id = $1 and kind = 'totp' and confirmed_at is null`,
)
const ADD_APP = statement(
  'add authenticator app',
  `insert into factors (id, person_id, kind, name, sealed, created_at) values ($1, $2, 'totp', $3, $4, $5)`,
)
const FIND_NEW = statement<{ id: string; sealed: Buffer }>(
  'new authenticator app',
  `select id, sealed from factors
   where id = $1 and person_id = $2 and kind = 'totp' and confirmed_at is null and created_at > $3`,
)
const CONFIRM = statement<{ id: string }>(
  'confirm authenticator app',
  'update factors set confirmed_at = $2, last_step = $3 where id = $1 and confirmed_at is null returning id',
)
const ADD_CONFIRMED = statement(
  'add confirmed app',
  `insert into factors (id, person_id, kind, name, sealed, created_at, confirmed_at, last_step)
   values ($1, $2, 'totp', $3, $4, $5, $5, $6)`,
)
const DROP_ALL = statement('drop factors of person', 'delete from factors where person_id = $1')
const REMOVE = statement<{ kind: Factor['kind']; name: string }>(
  'remove factor',
  'delete from factors where id = $1 and person_id = $2 and confirmed_at is not null returning kind, name',
)

/** Lists the second factors that are on, and counts the recovery codes that are left. */
export async function listFactors(
  { directory }: Gateway,
  personId: number,
): Promise<{ factors: Factor[]; codesLeft: number }> {
  const factors = await directory.query(LIST, [personId])
  return { factors, codesLeft: (await firstRow(directory.query(COUNT_CODES_LEFT, [personId])))?.count ?? 0 }
}

/** Adds an authenticator app with its first right code. `step` is the time step of that code, which works no second time. */
export function addConfirmedApp(
  { vault }: Gateway,
  { personId, secret, step, at }: { personId: number; secret: string; step: number; at: Date },
): Call {
  const id = newId('fac_', newTag())
  const sealed = vault.seal(secret, factorBinding(id))
  return call(ADD_CONFIRMED, id, personId, APP_NAME, sealed, at.toISOString(), step)
}

/** Removes every factor of a person, and its recovery codes. */
export const dropFactors = (personId: number): Call[] => [call(DROP_ALL, personId), clearRecoveryCodes(personId)]

/** Starts the enrolment of an authenticator app: makes its secret, which counts from the first right code on. Throws 400 where one is on. */
export async function beginApp(gateway: Gateway, caller: SignedInActor): Promise<{ id: string }> {
  allow(caller, 'account.factors')
  const at = gateway.clock.now()
  const id = newId('fac_', newTag())
  const sealed = gateway.vault.seal(newAppSecret(), factorBinding(id))
  await gateway.directory.transaction(async (tx) => {
    const [person, factors] = await tx.send(lockPerson(caller.personId), call(LIST, caller.personId))
    requirePerson(person)
    if (factors.some(({ kind }) => kind === 'totp'))
      throw domainRefusal('app_is_on', 'an authenticator app is on already: remove it first')
    const add = call(ADD_APP, id, caller.personId, APP_NAME, sealed, at.toISOString())
    return { value: null, last: [call(DROP_UNCONFIRMED, caller.personId), add] }
  })
  return { id }
}

/** Finds the secret of an open enrolment, as text and as the URI in the picture; null when the enrolment is over. */
export async function findNewApp(
  gateway: Gateway,
  caller: Pick<SignedInActor, 'kind' | 'personId'>,
  { id, account }: { id: string; account: string },
): Promise<{ secret: string; address: string } | null> {
  const since = addMs(gateway.clock.now(), -ENROLMENT_MS).toISOString()
  const found = await firstRow(gateway.directory.query(FIND_NEW, [id, caller.personId, since]))
  if (found === null) return null
  const secret = gateway.vault.open(found.sealed, factorBinding(id))
  return { secret, address: makeRealmAppUri(gateway, { secret, account, realm: realmOf(caller) }) }
}

// A person may have an account in both realms under one address, so their entries in the app differ by issuer.
const ISSUERS: Readonly<Record<Realm, string>> = { merchant: '', operator: ' console' }

/** Makes the URI of this secret for an app, under the name of our host. */
export const makeRealmAppUri = (
  { baseUrl }: Gateway,
  { secret, account, realm }: { secret: string; account: string; realm: Realm },
): string => makeAppUri(secret, { account, issuer: `${new URL(baseUrl).hostname}${ISSUERS[realm]}` })

/**
 * Switches the app on with a first right code; every other session ends. Returns new recovery codes where there were none. Throws 400
 * for a wrong code, 404.
 */
export async function confirmApp(
  gateway: Gateway,
  caller: SignedInActor,
  { id, code }: { id: string; code: string },
): Promise<{ codes: string[] }> {
  allow(caller, 'account.factors')
  const { personId } = caller
  const at = gateway.clock.now()
  const app = await findNewApp(gateway, caller, { id, account: caller.name })
  if (app === null) throw notFound('factor')
  const step = findCodeStep(app.secret, code, at.getTime())
  if (step === null)
    throw domainRefusal('wrong_code', 'code is wrong: take the one that the app shows now', { field: 'code' })
  return gateway.directory.transaction(async (tx) => {
    const person = requirePerson((await tx.send(lockPerson(personId)))[0])
    const [confirmed] = await tx.send(call(CONFIRM, id, at.toISOString(), step))
    if (confirmed.length === 0) throw notFound('factor')
    return switchOnFactor(gateway, tx, { caller, person, id, at })
  })
}

type FactorSwitch = { caller: SignedInActor; person: KnownPerson; id: string; at: Date }

/** Does what switching on any factor needs: ends other sessions and open links, and makes recovery codes with the first factor. */
export async function switchOnFactor(gateway: Gateway, tx: Tx, { caller, person, id, at }: FactorSwitch) {
  const [[left]] = await tx.send(call(COUNT_CODES_LEFT, person.id))
  const made = (left?.count ?? 0) > 0 ? { codes: [], calls: [] } : makeRecoveryCodes(person.id)
  const last: Call[] = [
    ...made.calls,
    endOtherSessions(person.id, caller.sessionId),
    voidLinks(person.id, LINKS_OF_SIGN_IN, at),
    ...accountMailRows(gateway, { to: person.email, template: 'factor-added', values: {}, at }),
    factorAuditRow(caller, { person, id, at, after: { on: true } }),
  ]
  return { value: { codes: made.codes }, last }
}

/**
 * Removes a factor; every other session ends, and live money out waits a day (reliability.md A74). With the last factor the recovery codes
 * go too. The last factor of an operator cannot be removed. Throws 404, 400.
 */
export async function removeFactor(gateway: Gateway, caller: SignedInActor, id: string): Promise<void> {
  allow(caller, 'account.factors')
  const at = gateway.clock.now()
  await gateway.directory.transaction(async (tx) => {
    const person = requirePerson((await tx.send(lockPerson(caller.personId)))[0])
    const [[removed], left] = await tx.send(call(REMOVE, id, person.id), call(LIST, person.id))
    if (!removed) throw notFound('factor')
    const isOperator = realmOf(caller) === 'operator'
    if (isOperator && left.length === 0)
      throw domainRefusal('last_factor', 'an operator needs a second factor: add another one first')
    const values = { held: isOperator ? 'no' : 'yes' }
    const last: Call[] = [
      ...(left.length === 0 ? [clearRecoveryCodes(person.id)] : []),
      ...(isOperator ? [] : [holdMoney(person.id, at)]),
      endOtherSessions(person.id, caller.sessionId),
      forgetBrowsers(person.id),
      voidLinks(person.id, LINKS_OF_SIGN_IN, at),
      ...accountMailRows(gateway, { to: person.email, template: 'factor-removed', values, at }),
      factorAuditRow(caller, { person, id, at, after: { on: false } }),
    ]
    return { value: null, last }
  })
}

/** Makes ten new recovery codes, returned only this once; the old ones work no longer. Throws 400 without a factor. */
export async function renewRecoveryCodes(gateway: Gateway, caller: SignedInActor): Promise<string[]> {
  allow(caller, 'account.factors')
  const at = gateway.clock.now()
  return gateway.directory.transaction(async (tx) => {
    const person = requirePerson((await tx.send(lockPerson(caller.personId)))[0])
    if (!person.hasFactor) throw new Refusal(400, 'no_factor', 'recovery codes come with a second factor')
    const { codes, calls } = makeRecoveryCodes(person.id)
    const letter = accountMailRows(gateway, { to: person.email, template: 'codes-renewed', values: {}, at })
    const row = factorAuditRow(caller, { person, id: 'recovery codes', at, after: { renewed: true } })
    return { value: codes, last: [...calls, voidLinks(person.id, LINKS_OF_SIGN_IN, at), ...letter, row] }
  })
}

function factorAuditRow(
  actor: SignedInActor,
  { person, id, at, after }: Omit<FactorSwitch, 'caller'> & { after: object },
): Call {
  return ownAccountRow(actor, { action: 'account.factors', at, subject: `${person.publicId} ${id}`, after })
}
