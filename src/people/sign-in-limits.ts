import type { Gateway } from '../app.ts'
import { Refusal } from '../platform/refusal.ts'
import { type SharedAddressWindow, sharedAddressWindow } from '../rate-limits/shared-address-window.ts'

/** Windows of a minute that all processes share (reliability.md A70). */
type SignInLimits = {
  /** What one client address may try. */
  ofAddress: SharedAddressWindow
  /** What may be tried with one e-mail address by browsers that never signed in with it. */
  ofAccount: SharedAddressWindow
  /** New accounts of one client address. */
  signUps: SharedAddressWindow
  /** Mails with a link that somebody without a session can cause: for a client address and for the address they go to. */
  links: SharedAddressWindow
}

/** What a stranger can have sent to one address, each kind counted apart. */
export type CausedMail = 'confirm' | 'reset' | 'locked' | 'email-change' | 'invitation' | 'notice' | 'dispute'

// A few an hour, so that a mailbox is no target and the links in it are not buried.
const LADDER = [
  { limit: 3, windowMs: 3_600_000 },
  { limit: 10, windowMs: 24 * 3_600_000 },
] as const

type Limits = SignInLimits & { mails: readonly SharedAddressWindow[] }

/** What of a process the limits need. */
type Limited = Pick<Gateway, 'directory' | 'config' | 'log' | 'addressCounts' | 'clock'>

const made = new WeakMap<Gateway['directory'], Limits>()

/**
 * Takes one of the few mails of a kind that may go to an address in an hour and in a day, whoever causes them; all processes count
 * together. False: none is left now.
 */
export async function mayMail(gateway: Limited, kind: CausedMail, emailKey: string): Promise<boolean> {
  const { mails } = signInLimits(gateway)
  const nowMs = gateway.clock.nowMs()
  const to = `${kind} ${emailKey}`
  const taken: { step: SharedAddressWindow; atMs: number }[] = []
  for (const step of mails) {
    const atMs = await step.take(to, nowMs).catch(unlessFull)
    if (atMs !== null) {
      taken.push({ step, atMs })
      continue
    }
    await Promise.all(taken.map((one) => one.step.giveBack(to, one.atMs)))
    return false
  }
  return true
}

const unlessFull = (error: unknown): null => {
  if (error instanceof Refusal && error.status === 429) return null
  throw error
}

/** 429 where somebody asks for such a mail: what was sent works for a day. */
export const mailsSent = () =>
  new Refusal(
    429,
    'rate_limited',
    'several mails of this kind went to this address within the last hours: look for the newest one, in the folder for spam too, or ask again later',
  )

export function signInLimits(gateway: Limited): Limits {
  const known = made.get(gateway.directory)
  if (known) return known
  const limit = gateway.config.rateSignIn
  const { log } = gateway
  const shared = (what: string) =>
    sharedAddressWindow({ what, limit, counts: () => gateway.addressCounts, log })
  const limits = {
    ofAddress: shared('sign-ins of an address'),
    ofAccount: shared('sign-ins to an account'),
    signUps: shared('sign-ups'),
    links: shared('mailed links'),
    mails: LADDER.map(({ limit: most, windowMs }) =>
      sharedAddressWindow({
        ...{ what: `mails in ${windowMs / 3_600_000} h`, limit: limit === 0 ? 0 : most, windowMs },
        ...{ counts: () => gateway.addressCounts, log },
      }),
    ),
  }
  made.set(gateway.directory, limits)
  return limits
}
