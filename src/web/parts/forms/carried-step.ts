import type { Visit } from '../routes/route.ts'
import { findStep, storeStep } from './form-steps.ts'

// Each step of a form leads to a page of its own, so that a step back in the browser never asks to send the form again. The result of the
// step is carried in the address of that page: sealed, valid for this session only and for an hour. A result that is too long for an
// address (a payroll of hundreds of people) is stored with the forms, and the address carries its token.
const BINDING = { merchantId: null, purpose: 'step of a form', column: 'address' } as const
const STEP_LASTS_MS = 3_600_000
// With the path, this is well below the longest address that browsers and proxies accept.
const MAX_STEP_CHARACTERS = 6000

type CarriedStep = { session: string; address: string; until: number; found: unknown }

/** Builds the address of the page at this path that shows the result of a step. */
export async function buildStepAddress(visit: Visit, path: string, found: unknown): Promise<string> {
  const { sessionId } = visit.signedIn
  const address = visit.to(path)
  const carried: CarriedStep = {
    session: sessionId,
    address,
    until: visit.now.getTime() + STEP_LASTS_MS,
    found,
  }
  const sealed = visit.gateway.vault.seal(JSON.stringify(carried), BINDING)
  const step = sealed.toString('base64url')
  if (step.length <= MAX_STEP_CHARACTERS) return `${address}?step=${step}`
  return `${address}?kept=${await storeStep(visit.gateway, { sessionId, sealed })}`
}

/** Returns the result of the step before; null unless the address carries one of this session and path that is still valid. */
export async function readCarriedStep(visit: Visit, path: string): Promise<unknown> {
  const { sessionId } = visit.signedIn
  const sealed = await findSealedStep(visit)
  if (sealed === null) return null
  try {
    const { session, address, until, found } = JSON.parse(visit.gateway.vault.open(sealed, BINDING)) as CarriedStep // Only we can have sealed it.
    const isValid = session === sessionId && address === visit.to(path) && until > visit.now.getTime()
    return isValid ? found : null
  } catch {
    // Not sealed by us.
    return null
  }
}

async function findSealedStep({ query, gateway, signedIn }: Visit): Promise<Buffer | null> {
  const { step = '', kept = '' } = query
  const isToken = (text: string) => text !== '' && text.length <= MAX_STEP_CHARACTERS && /^[\w-]+$/.test(text)
  if (isToken(kept)) return findStep(gateway, { sessionId: signedIn.sessionId, token: kept })
  return isToken(step) ? Buffer.from(step, 'base64url') : null
}
