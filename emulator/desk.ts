import { Accounts } from './accounts.ts'
import { Book } from './book.ts'
import { Callbacks } from './callbacks.ts'
import { seeded } from './chance.ts'
import { type Clock, realClock, virtualClock } from './clock.ts'
import type { EmulatorOptions } from './options.ts'
import type { Desk } from './payments.ts'
import { PROFILES, type Profile } from './profiles.ts'
import { Rules } from './rules.ts'
import type { Limits } from './wallets.ts'

const DEFAULT_SEED = 1
const NO_LIMITS: Limits = { payment: null, wallet: null }

/** The desk of an operator as its options say. Everything random of it comes from one generator. */
export function deskFor(
  options: EmulatorOptions,
  { isOn, begin }: Pick<Desk, 'begin'> & Pick<Desk['world'], 'isOn'>,
): Desk {
  const { platform = 'old', decide = 'when told', callbackHosts = [], seed = DEFAULT_SEED } = options
  const profile = PROFILES[options.profile ?? 'mtnuganda']
  const { currency, targetEnvironment, opening, endless } = profile
  const clock = clockFor(options)
  const chance = seeded(seed)
  const limits = options.limits ?? (decide === 'profile' ? profile.limits : NO_LIMITS)
  const accounts = new Accounts(clock, chance, { platform, callbackHosts })
  const book = new Book(clock, { opening, endless, limits })
  return {
    seed,
    world: { accounts, book, currency, targetEnvironment, platform, isOn },
    book,
    clock,
    chance,
    rules: new Rules(chance),
    profile,
    decide,
    callbacks: new Callbacks(clock, options.retries ?? 'none'),
    statusCap: capOf(options, profile),
    treated: new Set(),
    begin,
  }
}

const clockFor = ({ clock }: EmulatorOptions): Clock =>
  clock === 'virtual' ? virtualClock() : realClock(typeof clock === 'function' ? clock : undefined)

const capOf = ({ statusCap }: EmulatorOptions, profile: Profile) =>
  statusCap === undefined ? profile.statusCap : statusCap

/** As it was when it opened; only the clock and the chance go on. */
export function beginAnew(desk: Desk, options: EmulatorOptions): void {
  const { book, rules, profile, world, callbacks, treated } = desk
  desk.statusCap = capOf(options, profile)
  book.clear()
  book.wallets.set('collection', 0)
  book.wallets.set('disbursement', profile.disbursementOpening)
  callbacks.clear()
  treated.clear()
  rules.set(options.rules ?? [])
  world.accounts.usualTokens()
}
