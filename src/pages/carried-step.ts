import type { Visit } from './route.ts'

// A step of a form ends with a page of its own, so that a step back in the browser never asks to send the form again. What the step has found
// is carried in the address of that page: sealed, for this session alone, and for as long as a form is filled in.
const BINDING = { merchantId: null, purpose: 'step of a form', column: 'address' } as const
const LASTS_MS = 3_600_000
// Together with the path well within what browsers and proxies take.
const LONGEST = 6000

type Carried = { session: string; address: string; until: number; found: unknown }

/** The address of the page at this path that shows what a step has found; null where that is too much for an address. */
export function addressOfStep(visit: Visit, path: string, found: unknown): string | null {
  const carried: Carried = {
    ...{
      session: visit.signedIn.sessionId,
      address: visit.to(path),
      until: visit.now.getTime() + LASTS_MS,
      found,
    },
  }
  const step = visit.gateway.vault.seal(JSON.stringify(carried), BINDING).toString('base64url')
  return step.length > LONGEST ? null : `${visit.to(path)}?step=${step}`
}

/** What the step before has found; null where the address carries nothing of this session and path that still counts. */
export function stepIn(visit: Visit, path: string): unknown {
  const { step = '' } = visit.query
  if (step === '' || step.length > LONGEST || !/^[\w-]+$/.test(step)) return null
  try {
    const { session, address, until, found } = JSON.parse(
      visit.gateway.vault.open(Buffer.from(step, 'base64url'), BINDING),
    ) as Carried // Only we can have sealed it.
    const counts =
      session === visit.signedIn.sessionId && address === visit.to(path) && until > visit.now.getTime()
    return counts ? found : null
  } catch {
    // Not one of ours.
    return null
  }
}
