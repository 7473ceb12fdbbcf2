import { createHash, randomBytes } from 'node:crypto'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { SignedInActor } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { call } from '../../../platform/db/database.ts'
import { firstRow } from '../../../platform/db/first-row.ts'
import { statement } from '../../../platform/db/statement.ts'
import { isUniqueViolation } from '../../../platform/db/unique-violation.ts'
import { domainRefusal } from '../../../platform/refusal.ts'
import { canonicalJson } from '../../../platform/text/canonical-json.ts'
import { newId, newTag } from '../../../platform/text/ids.ts'
import { addMs } from '../../../platform/time/clock.ts'
import type { Gateway } from '../../../program/app.ts'
import { parsePersonName, requirePerson } from '../own-account.ts'
import { hashToken } from '../session.ts'
import { lockPerson } from '../write-accounts.ts'
import { switchOnFactor } from './factors.ts'

type Passkey = {
  id: string
  credentialId: string
  publicKey: Buffer
  counter: number
  transports: string[] | null
}

// Long enough for a person to give a fingerprint. A challenge works once.
const CHALLENGE_MS = 5 * 60_000
const MAX_RESPONSE_CHARACTERS = 20_000
const MAX_PASSKEYS = 10
const MAX_NAME_CHARACTERS = 60

const LIST_PASSKEYS = statement<Passkey>(
  'passkeys of person',
  `select id, credential_id as "credentialId", public_key as "publicKey", counter, transports from factors
   where person_id = $1 and kind = 'passkey' order by created_at limit ${MAX_PASSKEYS}`,
)
const ADD = statement(
  'add passkey',
  `insert into factors (id, person_id, kind, name, credential_id, public_key, counter, transports, created_at, confirmed_at)
   values ($1, $2, 'passkey', $3, $4, $5, $6, $7, $8, $8)`,
)
const RECORD_USE = statement<{ id: string }>(
  'passkey used',
  'update factors set counter = $2, used_at = $3 where id = $1 and (counter = 0 or counter < $2) returning id',
)
const ADD_CHALLENGE = statement(
  'add passkey challenge',
  'insert into passkey_challenges (hash, session_id, act, expires_at) values ($1, $2, $3, $4)',
)
const TAKE_CHALLENGE = statement<{ act: Buffer }>(
  'take passkey challenge',
  'delete from passkey_challenges where hash = $1 and session_id = $2 and expires_at > $3 returning act',
)
const FORGET = statement(
  'forget passkey challenges',
  `delete from passkey_challenges where hash in (
     select hash from passkey_challenges where expires_at < $1 order by expires_at limit 1000 for update skip locked)`,
)

/** The act that a passkey confirms: any value, such as the fields of a form with its address and one-time token. */
type PasskeyAct = { sessionId: string; act: unknown }

const REGISTRATION = 'add this passkey'
const loadLibrary = () => import('@simplewebauthn/server')
const hashAct = (act: unknown) => createHash('sha256').update(canonicalJson(act)).digest()
const siteOf = ({ baseUrl }: Gateway) => ({
  rpID: new URL(baseUrl).hostname,
  origin: new URL(baseUrl).origin,
})

/** Makes random bytes to sign, and stores that they belong to one act of one session. */
async function newChallenge(
  { directory, clock }: Gateway,
  { sessionId, act }: PasskeyAct,
): Promise<Uint8Array<ArrayBuffer>> {
  const challenge = new Uint8Array(randomBytes(32))
  const hash = hashToken(Buffer.from(challenge).toString('base64url'))
  const until = addMs(clock.now(), CHALLENGE_MS).toISOString()
  await directory.query(ADD_CHALLENGE, [hash, sessionId, hashAct(act), until])
  return challenge
}

/** Uses a challenge up. Returns whether it was made for this act of this session. */
async function takeChallenge({ directory, clock }: Gateway, challenge: string, { sessionId, act }: PasskeyAct) {
  const now = clock.now().toISOString()
  const row = await firstRow(directory.query(TAKE_CHALLENGE, [hashToken(challenge), sessionId, now]))
  return row?.act.equals(hashAct(act)) ?? false
}

/** Makes the options with which the browser creates a passkey for this person. */
export async function makePasskeyOptions(gateway: Gateway, caller: SignedInActor): Promise<object> {
  allow(caller, 'account.factors')
  const { generateRegistrationOptions } = await loadLibrary()
  const own = await gateway.directory.query(LIST_PASSKEYS, [caller.personId])
  return generateRegistrationOptions({
    rpID: siteOf(gateway).rpID,
    rpName: siteOf(gateway).rpID,
    userName: caller.name,
    userID: new Uint8Array(createHash('sha256').update(`person ${caller.personId}`).digest()),
    challenge: await newChallenge(gateway, { sessionId: caller.sessionId, act: REGISTRATION }),
    excludeCredentials: own.map(({ credentialId }) => ({ id: credentialId })),
    authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
    attestationType: 'none',
  })
}

/** Adds the passkey that the browser has made. Returns new recovery codes where there were none. Throws 400. */
export async function addPasskey(
  gateway: Gateway,
  caller: SignedInActor,
  { name: typed, response }: { name: string; response: string },
): Promise<{ codes: string[] }> {
  allow(caller, 'account.factors')
  const name = [...parsePersonName(typed)].slice(0, MAX_NAME_CHARACTERS).join('')
  const credential = await verifyRegistration(gateway, caller, response)
  const at = gateway.clock.now()
  const id = newId('fac_', newTag())
  const { id: credentialId, publicKey, counter, transports } = credential
  return gateway.directory
    .transaction(async (tx) => {
      const [person, own] = await tx.send(lockPerson(caller.personId), call(LIST_PASSKEYS, caller.personId))
      if (own.length >= MAX_PASSKEYS)
        throw domainRefusal('too_many_passkeys', `there are ${MAX_PASSKEYS} passkeys already: remove one first`)
      const row = [credentialId, Buffer.from(publicKey), counter, transports ?? null]
      await tx.send(call(ADD, id, caller.personId, name, ...row, at.toISOString()))
      return switchOnFactor(gateway, tx, { caller, person: requirePerson(person), id, at })
    })
    .catch((error) => {
      if (isUniqueViolation(error)) throw domainRefusal('known_passkey', 'this passkey is in use already')
      throw error
    })
}

const unreadablePasskey = () =>
  domainRefusal('passkey_unread', 'the browser did not give a passkey that we can use: try again')

async function verifyRegistration(gateway: Gateway, { sessionId }: SignedInActor, text: string) {
  const response = parseResponse<RegistrationResponseJSON>(text)
  const { verifyRegistrationResponse } = await loadLibrary()
  const { rpID, origin } = siteOf(gateway)
  const verified = await verifyRegistrationResponse({
    ...{ response, expectedOrigin: origin, expectedRPID: rpID, requireUserVerification: false },
    expectedChallenge: (challenge) => takeChallenge(gateway, challenge, { sessionId, act: REGISTRATION }),
  }).catch(() => null)
  if (!verified?.verified) throw unreadablePasskey()
  return verified.registrationInfo.credential
}

function parseResponse<Response>(text: string): Response {
  if (text.length > MAX_RESPONSE_CHARACTERS) throw unreadablePasskey()
  try {
    // The library checks every field.
    return JSON.parse(text) as Response
  } catch {
    throw unreadablePasskey()
  }
}

/** Makes the options with which the browser confirms an act by one of the person's passkeys; null where there is none. */
export async function makeConfirmOptions(gateway: Gateway, personId: number, act: PasskeyAct): Promise<object | null> {
  const own = await gateway.directory.query(LIST_PASSKEYS, [personId])
  if (own.length === 0) return null
  const { generateAuthenticationOptions } = await loadLibrary()
  return generateAuthenticationOptions({
    rpID: siteOf(gateway).rpID,
    challenge: await newChallenge(gateway, act),
    allowCredentials: own.map(({ credentialId }) => ({ id: credentialId })),
    userVerification: 'preferred',
  })
}

/** Checks a response of the browser: whether it is a signature of one of the person's passkeys for this very act. Its challenge is used up. */
export async function takePasskey(
  gateway: Gateway,
  personId: number,
  { response: text, ...act }: PasskeyAct & { response: string },
): Promise<boolean> {
  if (text.length > MAX_RESPONSE_CHARACTERS) return false
  const response = parseResponse<AuthenticationResponseJSON>(text)
  const own = await gateway.directory.query(LIST_PASSKEYS, [personId])
  const passkey = own.find(({ credentialId }) => credentialId === response.id)
  if (!passkey) return false
  const { verifyAuthenticationResponse } = await loadLibrary()
  const { rpID, origin } = siteOf(gateway)
  const { credentialId, publicKey, counter } = passkey
  const verified = await verifyAuthenticationResponse({
    ...{ response, expectedOrigin: origin, expectedRPID: rpID, requireUserVerification: false },
    expectedChallenge: (challenge) => takeChallenge(gateway, challenge, act),
    credential: { id: credentialId, publicKey: new Uint8Array(publicKey), counter },
  }).catch(() => null)
  if (!verified?.verified) return false
  const values = [passkey.id, verified.authenticationInfo.newCounter, gateway.clock.now().toISOString()]
  return (await gateway.directory.query(RECORD_USE, values)).length === 1
}

export const forgetChallenges = (now: Date) => call(FORGET, now.toISOString())

/** Whether a text in the field of a code is the response of a passkey. */
export const isPasskeyAnswer = (text: string): boolean => text.startsWith('{')
