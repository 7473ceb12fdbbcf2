import { type Actor, actorName } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { assert } from '../../platform/assert.ts'
import type { Call, Tx } from '../../platform/db/database.ts'
import { retryOnUniqueViolation } from '../../platform/db/unique-violation.ts'
import { invalidRequest, Refusal } from '../../platform/refusal.ts'
import type { App } from '../../program/app.ts'
import { readMailOwners } from '../account/mail-owners.ts'
import type { KycStatus, Merchant } from '../account/merchant.ts'
import { type MerchantChange, setMerchant } from '../account/set-merchant.ts'
import { addMail } from '../mails/mail.ts'
import { type Application, type ApplicationKey, type FieldNotes, mayBecome } from './application.ts'
import { compareNames } from './checked-names.ts'
import { readNameChecks } from './name-check.ts'
import { copyAnswers } from './open-draft.ts'
import { readVerification } from './read-application.ts'
import {
  type ApplicationDecision,
  decideApplicationRow,
  lockLatestApplication,
  openApplication,
} from './write-application.ts'

const MAX_FIELD_NOTES = 40
const MAX_FIELD_NOTE_CHARACTERS = 500
const MAX_NOTE_CHARACTERS = 2000
const FIELD = /^(?:business|directors|settlement|questionnaire|documents)(?:\.[a-z0-9_]{1,40})?$/

const APPROVED = { state: 'approved', note: null, notes: null } as const

/** The application that the reviewer saw; a newer one of the merchant is not decided in its place. */
type DecisionTarget = { merchant: Merchant; number: number }

/**
 * Approves a submitted application: its merchant is verified in the same commit. `note` tells our staff why; it is required where the
 * wallet of a given name may belong to another holder. Throws 400, and 409 when it was decided meanwhile.
 */
export async function approveApplication(
  app: App,
  actor: Actor,
  { merchant, number, note = null }: DecisionTarget & { note?: string | null },
): Promise<Merchant> {
  allow(actor, 'merchant.verify', merchant.id)
  const approvalNote = note === null || note.trim() === '' ? null : note.trim()
  if (approvalNote !== null && approvalNote.length > MAX_NOTE_CHARACTERS)
    throw invalidRequest(`note must have at most ${MAX_NOTE_CHARACTERS} characters`, 'note')
  if (approvalNote === null) await requireNoteOnNames(app, merchant.id)
  const after = await setMerchant(app, actor, {
    merchant,
    change: { kycStatus: 'verified' },
    extraWrites: (tx) => decideLatest(app, tx, { merchant, number, actor, ...APPROVED, approvalNote }),
  })
  await mailDecision(app, { before: merchant, after, note: null })
  return after
}

/** Rejects a submitted application with a note, and notes by field. Throws 400, and 409 when it was decided meanwhile. */
export async function rejectApplication(
  app: App,
  actor: Actor,
  { merchant, number, note, notes }: DecisionTarget & { note: string; notes: FieldNotes },
): Promise<Merchant> {
  allow(actor, 'merchant.verify', merchant.id)
  judgeNotes(note, notes)
  const after = await setMerchant(app, actor, {
    merchant,
    change: { kycStatus: 'rejected' },
    extraWrites: (tx) => decideLatest(app, tx, { merchant, number, actor, state: 'rejected', note, notes }),
  })
  await mailDecision(app, { before: merchant, after, note })
  return after
}

/**
 * Changes facts of a merchant, its verification among them, for the command. The application follows in the same commit, so that the two
 * never disagree.
 */
export async function setMerchantAndVerification(
  app: App,
  actor: Actor,
  { merchant, change }: { merchant: Merchant; change: MerchantChange },
): Promise<Merchant> {
  const { kycStatus } = change
  if (kycStatus !== undefined) allow(actor, 'merchant.verify', merchant.id)
  if (kycStatus === undefined) return setMerchant(app, actor, { merchant, change })
  const along = (tx: Tx) => followKycStatus(app, tx, { merchant, actor, kycStatus })
  // Retried because the owner may open the first draft at the same moment.
  const after = await retryOnUniqueViolation(() => setMerchant(app, actor, { merchant, change, extraWrites: along }))
  await mailDecision(app, { before: merchant, after, note: null })
  return after
}

/** Refuses (400) an approval without a note where a wallet may belong to another holder than the given name. */
async function requireNoteOnNames(app: App, merchantId: number): Promise<void> {
  const [{ answers }, checks] = await Promise.all([readVerification(app, merchantId), readNameChecks(app, merchantId)])
  const different = compareNames({ answers, withdrawal: null, checks }).find(({ differs }) => differs)
  if (different !== undefined)
    throw invalidRequest(`note must say why the wallet of ${different.what} may be somebody else's`, 'note')
}

function judgeNotes(note: string, notes: FieldNotes): void {
  if (note.trim() === '' || note.length > MAX_NOTE_CHARACTERS)
    throw invalidRequest(`note must have 1 to ${MAX_NOTE_CHARACTERS} characters`, 'note')
  const entries = Object.entries(notes)
  if (entries.length > MAX_FIELD_NOTES) throw invalidRequest(`notes must be at most ${MAX_FIELD_NOTES}`, 'notes')
  for (const [field, text] of entries)
    if (!FIELD.test(field) || text.trim() === '' || text.length > MAX_FIELD_NOTE_CHARACTERS)
      throw invalidRequest(`notes must name fields and have 1 to ${MAX_FIELD_NOTE_CHARACTERS} characters each`, 'notes')
}

type DecideInput = Pick<ApplicationDecision, 'state' | 'note' | 'notes' | 'approvalNote'> & {
  merchant: Merchant
  actor: Actor
}

async function decideLatest(
  app: App,
  tx: Tx,
  { merchant, number, actor, ...decision }: DecideInput & { number: number },
): Promise<Call[]> {
  const [[latest]] = await tx.send(lockLatestApplication(merchant.id))
  if (latest?.number !== number || latest.state !== 'submitted') throw decidedMeanwhile()
  return [decideApplicationRow(latest, { ...decision, at: app.clock.now(), by: actorName(actor) })]
}

type KycFollowing = { merchant: Merchant; actor: Actor; kycStatus: KycStatus }

/** Moves the newest application to the state of its merchant. Where it is decided already, the next application takes that state. */
async function followKycStatus(app: App, tx: Tx, { merchant, actor, kycStatus }: KycFollowing): Promise<Call[]> {
  const [[latest]] = await tx.send(lockLatestApplication(merchant.id))
  const state = kycStatus === 'pending' ? 'draft' : kycStatus === 'verified' ? 'approved' : 'rejected'
  if (latest === undefined && state === 'draft') return []
  if (latest?.state === state || (latest?.state === 'submitted' && state === 'draft')) return []
  const open =
    latest && mayBecome(latest.state, state) ? latest : await openNextApplication(app, tx, { latest, merchant, actor })
  if (state === 'draft') return []
  return [decideApplicationRow(open, { state, at: app.clock.now(), by: actorName(actor), note: null, notes: null })]
}

async function openNextApplication(
  app: App,
  tx: Tx,
  { latest, merchant, actor }: { latest: Application | undefined; merchant: Merchant; actor: Actor },
): Promise<ApplicationKey> {
  assert(latest === undefined || latest.decidedAt !== null, 'only a decided application has one after it')
  const next = { merchantId: merchant.id, number: (latest?.number ?? 0) + 1 }
  const at = app.clock.now()
  await tx.send(openApplication(next, at))
  if (latest !== undefined) await copyAnswers(app, tx, { from: latest, to: next, at, by: actorName(actor) })
  return next
}

const decidedMeanwhile = () =>
  new Refusal(409, 'conflict', 'this application is not waiting for a decision any more; look at it again')

/**
 * Mails the owners the decision about their business, after it is committed. After a crash between the two no mail is sent; the page of
 * the verification shows the decision too.
 */
async function mailDecision(
  app: App,
  { before, after, note }: { before: Merchant; after: Merchant; note: string | null },
): Promise<void> {
  const { kycStatus } = after
  if (kycStatus === before.kycStatus || kycStatus === 'pending') return
  const isVerified = kycStatus === 'verified'
  const link = `${app.baseUrl}/dashboard/${isVerified ? 'go-live' : 'verification'}`
  for (const { email } of await readMailOwners(app, after.id)) {
    const mail = addMail(app, {
      to: email,
      template: isVerified ? 'verified' : 'verification-rejected',
      values: { business: after.name, link, note: note ?? '' },
      at: app.clock.now(),
    })
    await app.directory.query(mail.statement, mail.values)
  }
}
