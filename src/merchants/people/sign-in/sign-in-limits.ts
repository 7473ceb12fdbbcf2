import { newSharedAddressWindow, type SharedAddressWindow } from '../../../api/rate-limits/shared-address-window.ts'
import { Refusal } from '../../../platform/refusal.ts'
import type { Gateway } from '../../../program/app.ts'

/** The limits of sign-in: windows of a minute that all processes share (reliability.md A70). */
type SignInLimits = {
  /** Tries by one client address. */
  ofAddress: SharedAddressWindow
  /** Tries with one e-mail address by browsers that never signed in with it. */
  ofAccount: SharedAddressWindow
  /** New accounts by one client address. */
  signUps: SharedAddressWindow
  /** Mails with a link that can be caused without a session, by client address and by recipient. */
  links: SharedAddressWindow
}

/** The kinds of mails that a stranger can cause to one address, each counted apart. */
type CausedMail = 'confirm' | 'reset' | 'locked' | 'email-change' | 'invitation' | 'notice' | 'dispute' | 'invoice'

// A few mails an hour, so that nobody can flood a mailbox and bury the links in it.
const MAIL_WINDOWS = [
  { limit: 3, windowMs: 3_600_000 },
  { limit: 10, windowMs: 24 * 3_600_000 },
] as const

type AllLimits = SignInLimits & { mails: readonly SharedAddressWindow[] }

/** The parts of the process that the limits need. */
type LimitsGateway = Pick<Gateway, 'directory' | 'config' | 'log' | 'addressCounts' | 'clock'>

const limitsByDirectory = new WeakMap<Gateway['directory'], AllLimits>()

/**
 * Takes one of the few mails of a kind that may go to an address in an hour and in a day, whoever causes them; all processes count
 * together. Returns false where none is left now.
 */
export async function takeMailSlot(gateway: LimitsGateway, kind: CausedMail, emailKey: string): Promise<boolean> {
  const { mails } = signInLimits(gateway)
  const nowMs = gateway.clock.nowMs()
  const to = `${kind} ${emailKey}`
  const taken: { step: SharedAddressWindow; atMs: number }[] = []
  for (const step of mails) {
    const atMs = await step.take(to, nowMs).catch(nullWhenFull)
    if (atMs !== null) {
      taken.push({ step, atMs })
      continue
    }
    await Promise.all(taken.map((slot) => slot.step.giveBack(to, slot.atMs)))
    return false
  }
  return true
}

const nullWhenFull = (error: unknown): null => {
  if (error instanceof Refusal && error.status === 429) return null
  throw error
}

/** 429 for a request for one more mail of a kind: the links that were sent work for a day. */
export const tooManyMails = () =>
  new Refusal(
    429,
    'rate_limited',
    'several mails of this kind went to this address within the last hours: look for the newest one, in the folder for spam too, or ask again later',
  )

export function signInLimits(gateway: LimitsGateway): AllLimits {
  const cached = limitsByDirectory.get(gateway.directory)
  if (cached) return cached
  const limit = gateway.config.rateSignIn
  const { log } = gateway
  const shared = (what: string) => newSharedAddressWindow({ what, limit, counts: () => gateway.addressCounts, log })
  const limits = {
    ofAddress: shared('sign-ins of an address'),
    ofAccount: shared('sign-ins to an account'),
    signUps: shared('sign-ups'),
    links: shared('mailed links'),
    mails: MAIL_WINDOWS.map(({ limit: most, windowMs }) =>
      newSharedAddressWindow({
        ...{ what: `mails in ${windowMs / 3_600_000} h`, limit: limit === 0 ? 0 : most, windowMs },
        ...{ counts: () => gateway.addressCounts, log },
      }),
    ),
  }
  limitsByDirectory.set(gateway.directory, limits)
  return limits
}
