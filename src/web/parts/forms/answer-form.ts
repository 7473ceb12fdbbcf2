import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ruleOf } from '../../../api/access/actions.ts'
import { hasFreshFactor, requireRole } from '../../../api/access/allow.ts'
import { toRefusal } from '../../../api/http/errors.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { canonicalJson } from '../../../platform/text/canonical-json.ts'
import { sayRefusal } from '../refusal-words.ts'
import type { FormRoute, Visit } from '../routes/route.ts'
import type { SurfaceReply } from '../routes/surface-reply.ts'
import { PARTS } from '../texts.ts'
import { addFault } from './form-fault.tsx'
import { claimForm, forgetForm, leaveFormOpen, storeFormResult } from './form-results.ts'
import { FieldFault, type FormState, type FormValues, findFieldOfRefusal, parseForm } from './form-spec.ts'
import { equalsInConstantTime, verifyFormToken } from './form-token.ts'

/** The visits of a person who has given a factor or password again: `act` for the act itself, `after` for everything after it. */
type StepUpVisits<V> = { act: V; after: V; cookies: readonly string[] }
/**
 * Checks a factor or password given again in the middle of a session; throws FieldFault for `confirm`. The caller must send `cookies` with
 * its reply even if the act fails: the old cookie expires within a minute.
 */
export type StepUp<V> = (visit: V, confirm: string) => Promise<StepUpVisits<V>>

const { errors } = PARTS
/** Thrown if the same form is being worked on, perhaps by another process. */
class FormUnderWay extends Error {}

const BUSY_MS = 4000
const BUSY_LOOK_MS = 200
// The message of an operation whose idempotency key is in use.
const IN_FLIGHT = /still in flight/

/**
 * Answers a form that came from a page of ours: checks the role, the fields, the factor and the one-time token, then runs its operation. A
 * refusal becomes the page again, with the typed values. Throws Refusal if there is no page to show.
 */
export async function answerForm<V extends Visit>(
  visit: V,
  route: FormRoute<V>,
  stepUp: StepUp<V>,
): Promise<SurfaceReply> {
  const { spec } = route
  if (!equalsInConstantTime(visit.fields.csrf ?? '', visit.signedIn.csrf))
    throw new Refusal(403, 'forbidden', errors.session)
  requireRole(visit.caller, spec.action)
  const { values, faults } = parseForm(spec, visit.fields)
  const state = (changes: Partial<FormState>): FormState => ({
    ...{ path: spec.path, params: visit.params, values, faults, fault: null, status: 400, token: null },
    ...changes,
  })
  const wrongFile = findFileFault(visit, route)
  if (wrongFile !== null) faults[fileFieldName(route)] = wrongFile
  let current = visit
  const showRefused = async (changes: Partial<FormState>) =>
    addFault(await route.showRefused(current, state(changes)), { state: state(changes), spec })
  if (Object.keys(faults).length > 0) return showRefused({})
  try {
    const { act, after } = await confirmVisit(visit, route, stepUp)
    current = after
    return await submitOnce(act, route, values)
  } catch (error) {
    return showRefused(describeError(visit, route, error))
  }
}

function findFileFault<V extends Visit>({ file }: V, route: FormRoute<V>): string | null {
  const maxBytes = route.spec.maxFileBytes
  if (maxBytes === undefined) return null
  if (file === null) return isFileRequired(route) ? PARTS.chooseFile : null
  return file.bytes.length > maxBytes ? PARTS.fileTooLong(Math.floor(maxBytes / MEGABYTE)) : null
}

const MEGABYTE = 1024 * 1024
const fileFieldName = <V>({ spec }: FormRoute<V>) => spec.fields.find(({ kind }) => kind === 'file')?.name ?? 'file'
const isFileRequired = <V>({ spec }: FormRoute<V>) =>
  spec.fields.some(({ kind, optional }) => kind === 'file' && !optional)

async function confirmVisit<V extends Visit>(visit: V, { spec }: FormRoute<V>, stepUp: StepUp<V>) {
  if (!ruleOf(spec.action).fresh || hasFreshFactor(visit.caller)) return { act: visit, after: visit }
  const confirmation = visit.fields.confirm ?? ''
  if (confirmation === '') throw new FieldFault('confirm', PARTS.confirmMissing)
  return stepUp(visit, confirmation)
}

async function submitOnce<V extends Visit>(visit: V, route: FormRoute<V>, values: FormValues): Promise<SurfaceReply> {
  if (!route.spec.once) return route.submit(visit, values)
  const { sent, once } = readOneTimeForm(visit, values)
  const claim = await claimWhenFree(visit, sent)
  if (claim.kind === 'busy') throw new FormUnderWay(errors.busy)
  if (claim.kind === 'changed') throw new Refusal(409, 'conflict', errors.changed)
  if (claim.kind === 'used') throw new Refusal(409, 'conflict', errors.used)
  if (claim.kind === 'done')
    return { kind: 'redirect', to: claim.to, ...(claim.flash === null ? {} : { flash: claim.flash }) }
  try {
    const reply = await route.submit({ ...visit, once }, values)
    if (reply.kind === 'redirect') await storeFormResult(visit.gateway, sent, reply)
    else await forgetForm(visit.gateway, sent)
    return reply
  } catch (error) {
    const releaseForm = leavesOutcomeOpen(error) ? leaveFormOpen : forgetForm
    await releaseForm(visit.gateway, sent).catch(() => {
      // The database is away. The claim expires after half a minute.
    })
    throw error
  }
}

/** A browser shows the answer to the second of two taps, so that one waits a little for the result of the first. */
async function claimWhenFree({ gateway }: Visit, sent: Parameters<typeof claimForm>[1]) {
  const giveUpAt = performance.now() + BUSY_MS
  for (;;) {
    const claim = await claimForm(gateway, sent)
    if (claim.kind !== 'busy' || performance.now() > giveUpAt) return claim
    await sleep(BUSY_LOOK_MS)
  }
}

/** Checks the one-time token of a form. Returns the form as sent, and the key that makes its operation happen once. */
function readOneTimeForm(visit: Visit, values: FormValues) {
  const address = visit.here.split('?', 1)[0] ?? ''
  const scope = { sessionId: visit.signedIn.sessionId, address }
  const checked = verifyFormToken(visit.gateway.vault, scope, {
    token: visit.fields.form ?? '',
    nowMs: visit.now.getTime(),
  })
  if ('refused' in checked)
    throw new Refusal(403, 'forbidden', checked.refused === 'expired' ? errors.expired : errors.session)
  const fingerprint = createHash('sha256')
    .update(`${address}\n${canonicalJson(values)}\n`)
    .update(visit.file?.bytes ?? '')
    .digest()
  // A form that was refused, then changed after a step back and sent again is another request, so the values are part of the key.
  const key = `${checked.key} ${fingerprint.toString('hex').slice(0, 16)}`
  return { sent: { token: checked.key, typed: fingerprint }, once: { key, fingerprint } }
}

/** Whether a status is a fault of ours. 502 is another company's: it refused or was silent, and nothing was changed. */
const isOwnFault = (status: number) => status >= 500 && status !== 502

/** Whether an error leaves it unknown if the operation took effect. */
function leavesOutcomeOpen(error: unknown): boolean {
  if (error instanceof FieldFault) return false
  const { status, message } = toRefusal(error)
  return isOwnFault(status) || IN_FLIGHT.test(message)
}

/** Turns an error into the state of its form. The form keeps its token if it is unknown whether its operation took effect. */
function describeError<V extends Visit>(visit: V, { spec }: FormRoute<V>, error: unknown): Partial<FormState> {
  if (error instanceof FieldFault) return { faults: { [error.field]: error.message }, goOn: error.goOn }
  const token = visit.fields.form ?? null
  if (error instanceof FormUnderWay) return { fault: error.message, status: 409, token }
  const refusal = toRefusal(error)
  if (refusal.status === 404 || (isOwnFault(refusal.status) && !spec.once)) throw error
  if (leavesOutcomeOpen(error)) return { fault: errors.unknownEnd, status: refusal.status, token }
  const field = findFieldOfRefusal(spec, refusal)
  const text = sayRefusal(refusal)
  return field === null
    ? { fault: text, status: refusal.status }
    : { faults: { [field]: text }, status: refusal.status }
}
