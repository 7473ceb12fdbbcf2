import { createHash } from 'node:crypto'
import { ruleOf } from '../actors/actions.ts'
import { isFresh, requireRole } from '../actors/allow.ts'
import { refusalFor } from '../http/errors.ts'
import { canonicalJson } from '../platform/canonical-json.ts'
import { Refusal } from '../platform/refusal.ts'
import { sayingFault } from './form-fault.tsx'
import { claimForm, forgetForm, keepFormResult, leaveFormOpen } from './form-results.ts'
import { FieldFault, type FormState, fieldOfRefusal, readForm, type Values } from './form-spec.ts'
import { keyOfForm, same } from './form-token.ts'
import type { FormRoute, Visit } from './route.ts'
import type { Shown } from './shown.ts'
import { PARTS } from './texts.ts'

/** A person who has given a factor or password again: the visit for the act itself, and for whatever the session does after it. */
export type SteppedUp<V> = { act: V; after: V; cookies: readonly string[] }
/**
 * Gives a factor or password again in the middle of a session; throws FieldFault for `confirm`. Whoever calls it sends the cookies with
 * the answer, whatever becomes of the act: the old cookie ends within the minute.
 */
export type StepUp<V> = (visit: V, confirm: string) => Promise<SteppedUp<V>>

const { errors } = PARTS
/** The same form is being worked on, perhaps by another process. */
class UnderWay extends Error {}

// An operation says so of its own key.
const IN_FLIGHT = /still in flight/

/**
 * A form that came from a page of ours: its role, its fields, the factor, the one-time token, and then its operation. Refusals become
 * the page again, with what was typed. Throws Refusal where there is no page to show.
 */
export async function answerForm<V extends Visit>(
  visit: V,
  route: FormRoute<V>,
  stepUp: StepUp<V>,
): Promise<Shown> {
  const { spec } = route
  if (!same(visit.fields.csrf ?? '', visit.signedIn.csrf)) throw new Refusal(403, 'forbidden', errors.session)
  requireRole(visit.caller, spec.action)
  const { values, faults } = readForm(spec, visit.fields)
  const state = (wrong: Partial<FormState>): FormState => ({
    ...{ path: spec.path, params: visit.params, values, faults, fault: null, status: 400, token: null },
    ...wrong,
  })
  const wrongFile = faultOfFile(visit, route)
  if (wrongFile !== null) faults[fileField(route)] = wrongFile
  let now = visit
  const again = async (wrong: Partial<FormState>) =>
    sayingFault(await route.again(now, state(wrong)), { state: state(wrong), spec })
  if (Object.keys(faults).length > 0) return again({})
  try {
    const { act, after } = await confirm(visit, route, stepUp)
    now = after
    return await submitOnce(act, route, values)
  } catch (error) {
    return again(wrongIn(visit, route, error))
  }
}

function faultOfFile<V extends Visit>({ file }: V, route: FormRoute<V>): string | null {
  const most = route.spec.mostFileBytes
  if (most === undefined) return null
  if (file === null) return fileIsWanted(route) ? PARTS.chooseFile : null
  return file.bytes.length > most ? PARTS.fileTooLong(Math.floor(most / MEGABYTE)) : null
}

const MEGABYTE = 1024 * 1024
const fileField = <V>({ spec }: FormRoute<V>) =>
  spec.fields.find(({ kind }) => kind === 'file')?.name ?? 'file'
const fileIsWanted = <V>({ spec }: FormRoute<V>) =>
  spec.fields.some(({ kind, optional }) => kind === 'file' && !optional)

async function confirm<V extends Visit>(visit: V, { spec }: FormRoute<V>, stepUp: StepUp<V>) {
  if (!ruleOf(spec.action).fresh || isFresh(visit.caller)) return { act: visit, after: visit }
  const given = visit.fields.confirm ?? ''
  if (given === '') throw new FieldFault('confirm', PARTS.confirmMissing)
  return stepUp(visit, given)
}

async function submitOnce<V extends Visit>(visit: V, route: FormRoute<V>, values: Values): Promise<Shown> {
  if (!route.spec.once) return route.submit(visit, values)
  const { sent, once } = sentOnce(visit, values)
  const claim = await claimForm(visit.gateway, sent)
  if (claim.kind === 'busy') throw new UnderWay(errors.busy)
  if (claim.kind === 'changed') throw new Refusal(409, 'conflict', errors.changed)
  if (claim.kind === 'used') throw new Refusal(409, 'conflict', errors.used)
  if (claim.kind === 'done')
    return { kind: 'redirect', to: claim.to, ...(claim.flash === null ? {} : { flash: claim.flash }) }
  try {
    const shown = await route.submit({ ...visit, once }, values)
    if (shown.kind === 'redirect') await keepFormResult(visit.gateway, sent, shown)
    else await forgetForm(visit.gateway, sent)
    return shown
  } catch (error) {
    const end = isOpen(error) ? leaveFormOpen : forgetForm
    await end(visit.gateway, sent).catch(() => {
      // The database is away. The claim ends by itself after half a minute.
    })
    throw error
  }
}

/** The token of the form as it was sent, and what makes its operation happen once. */
function sentOnce(visit: Visit, values: Values) {
  const address = visit.here.split('?', 1)[0] ?? ''
  const place = { sessionId: visit.signedIn.sessionId, address }
  const found = keyOfForm(visit.gateway.vault, place, {
    token: visit.fields.form ?? '',
    nowMs: visit.now.getTime(),
  })
  if ('refused' in found)
    throw new Refusal(403, 'forbidden', found.refused === 'expired' ? errors.expired : errors.session)
  const fingerprint = createHash('sha256')
    .update(`${address}\n${canonicalJson(values)}\n`)
    .update(visit.file?.bytes ?? '')
    .digest()
  // A form that was refused, mended after a step back and sent again is another request, under another key.
  const key = `${found.key} ${fingerprint.toString('hex').slice(0, 16)}`
  return { sent: { token: found.key, typed: fingerprint }, once: { key, fingerprint } }
}

/** A fault of ours. 502 is another company's: it refused or was silent, and nothing was changed. */
const isOurs = (status: number) => status >= 500 && status !== 502

/** Whether an error leaves open if the operation took effect. */
function isOpen(error: unknown): boolean {
  if (error instanceof FieldFault) return false
  const { status, message } = refusalFor(error)
  return isOurs(status) || IN_FLIGHT.test(message)
}

/** What an error says at the form. One of ours, and one that leaves open whether it took effect, keep the token. */
function wrongIn<V extends Visit>(visit: V, { spec }: FormRoute<V>, error: unknown): Partial<FormState> {
  if (error instanceof FieldFault) return { faults: { [error.field]: error.message } }
  const token = visit.fields.form ?? null
  if (error instanceof UnderWay) return { fault: error.message, status: 409, token }
  const refusal = refusalFor(error)
  if (refusal.status === 404 || (isOurs(refusal.status) && !spec.once)) throw error
  if (isOpen(error)) return { fault: errors.unknownEnd, status: refusal.status, token }
  const field = fieldOfRefusal(spec, refusal)
  const says = refusal.hint === null ? refusal.message : `${refusal.message}. ${refusal.hint}`
  return field === null
    ? { fault: says, status: refusal.status }
    : { faults: { [field]: says }, status: refusal.status }
}
