import { type Actor, nameOf } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import type { App } from '../app.ts'
import type { KycStatus, Merchant } from '../merchants/merchant.ts'
import { type MerchantChange, setMerchant } from '../merchants/set-merchant.ts'
import { assert } from '../platform/assert.ts'
import type { Call, Tx } from '../platform/db/database.ts'
import { againWhenTaken } from '../platform/db/taken.ts'
import { invalidRequest, Refusal } from '../platform/refusal.ts'
import { type Application, type ApplicationKey, type FieldNotes, mayBecome } from './application.ts'
import { heardNames } from './heard-names.ts'
import { nameChecks } from './name-check.ts'
import { copyAnswers } from './open-draft.ts'
import { readVerification } from './read-application.ts'
import { tellDecision } from './tell-decision.ts'
import { type Decision, decideRow, lockLatest, openApplication } from './write-application.ts'

const MOST_NOTES = 40
const LONGEST_NOTE = 500
const LONGEST_SAYS = 2000
const FIELD = /^(?:business|directors|settlement|questionnaire|documents)(?:\.[a-z0-9_]{1,40})?$/

const APPROVED = { state: 'approved', note: null, notes: null } as const

/** The application that the reviewer saw; a newer one of the merchant is not decided in its place. */
type Reviewed = { merchant: Merchant; number: number }

/**
 * Approves a submitted application: its merchant is verified in the same commit. `note` tells our staff why; it is required where the
 * wallet of a given name may belong to another holder. Throws 400, and 409 when it was decided meanwhile.
 */
export async function approveApplication(
  app: App,
  actor: Actor,
  { merchant, number, note = null }: Reviewed & { note?: string | null },
): Promise<Merchant> {
  allow(actor, 'merchant.verify', merchant.id)
  const approvalNote = note === null || note.trim() === '' ? null : note.trim()
  if (approvalNote !== null && approvalNote.length > LONGEST_SAYS)
    throw invalidRequest(`note must have at most ${LONGEST_SAYS} characters`)
  if (approvalNote === null) await judgeNames(app, merchant.id)
  const after = await setMerchant(app, actor, {
    merchant,
    change: { kycStatus: 'verified' },
    along: (tx) => decide(app, tx, { merchant, number, actor, ...APPROVED, approvalNote }),
  })
  await tellDecision(app, { before: merchant, after, note: null })
  return after
}

/** Rejects a submitted application with a note, and notes by field. Throws 400, and 409 when it was decided meanwhile. */
export async function rejectApplication(
  app: App,
  actor: Actor,
  { merchant, number, note, notes }: Reviewed & { note: string; notes: FieldNotes },
): Promise<Merchant> {
  allow(actor, 'merchant.verify', merchant.id)
  judgeNotes(note, notes)
  const after = await setMerchant(app, actor, {
    merchant,
    change: { kycStatus: 'rejected' },
    along: (tx) => decide(app, tx, { merchant, number, actor, state: 'rejected', note, notes }),
  })
  await tellDecision(app, { before: merchant, after, note })
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
  const along = (tx: Tx) => follow(app, tx, { merchant, actor, kycStatus })
  // Retried because the owner may open the first draft at the same moment.
  const after = await againWhenTaken(() => setMerchant(app, actor, { merchant, change, along }))
  await tellDecision(app, { before: merchant, after, note: null })
  return after
}

/** Refuses (400) an approval without a note where a wallet may belong to another holder than the given name. */
async function judgeNames(app: App, merchantId: number): Promise<void> {
  const [{ answers }, checks] = await Promise.all([
    readVerification(app, merchantId),
    nameChecks(app, merchantId),
  ])
  const different = heardNames({ answers, withdrawal: null, checks }).find(({ differs }) => differs)
  if (different !== undefined)
    throw invalidRequest(`note must say why the wallet of ${different.what} may be somebody else's`)
}

function judgeNotes(note: string, notes: FieldNotes): void {
  if (note.trim() === '' || note.length > LONGEST_SAYS)
    throw invalidRequest(`note must have 1 to ${LONGEST_SAYS} characters`)
  const entries = Object.entries(notes)
  if (entries.length > MOST_NOTES) throw invalidRequest(`notes must be at most ${MOST_NOTES}`)
  for (const [field, text] of entries)
    if (!FIELD.test(field) || text.trim() === '' || text.length > LONGEST_NOTE)
      throw invalidRequest(`notes must name fields and have 1 to ${LONGEST_NOTE} characters each`)
}

type Deciding = Pick<Decision, 'state' | 'note' | 'notes' | 'approvalNote'> & {
  merchant: Merchant
  actor: Actor
}

async function decide(
  app: App,
  tx: Tx,
  { merchant, number, actor, ...decision }: Deciding & { number: number },
): Promise<Call[]> {
  const [[latest]] = await tx.send(lockLatest(merchant.id))
  if (latest?.number !== number || latest.state !== 'submitted') throw decidedMeanwhile()
  return [decideRow(latest, { ...decision, at: app.clock.now(), by: nameOf(actor) })]
}

type Following = { merchant: Merchant; actor: Actor; kycStatus: KycStatus }

/** Moves the newest application to the state of its merchant. Where it is decided already, the next application takes that state. */
async function follow(app: App, tx: Tx, { merchant, actor, kycStatus }: Following): Promise<Call[]> {
  const [[latest]] = await tx.send(lockLatest(merchant.id))
  const state = kycStatus === 'pending' ? 'draft' : kycStatus === 'verified' ? 'approved' : 'rejected'
  if (latest === undefined && state === 'draft') return []
  if (latest?.state === state || (latest?.state === 'submitted' && state === 'draft')) return []
  const open =
    latest && mayBecome(latest.state, state) ? latest : await nextAfter(app, tx, { latest, merchant, actor })
  if (state === 'draft') return []
  return [decideRow(open, { state, at: app.clock.now(), by: nameOf(actor), note: null, notes: null })]
}

async function nextAfter(
  app: App,
  tx: Tx,
  { latest, merchant, actor }: { latest: Application | undefined; merchant: Merchant; actor: Actor },
): Promise<ApplicationKey> {
  assert(latest === undefined || latest.decidedAt !== null, 'only a decided application has one after it')
  const next = { merchantId: merchant.id, number: (latest?.number ?? 0) + 1 }
  const at = app.clock.now()
  await tx.send(openApplication(next, at))
  if (latest !== undefined) await copyAnswers(app, tx, { from: latest, to: next, at, by: nameOf(actor) })
  return next
}

const decidedMeanwhile = () =>
  new Refusal(409, 'conflict', 'this application is not waiting for a decision any more; look at it again')
